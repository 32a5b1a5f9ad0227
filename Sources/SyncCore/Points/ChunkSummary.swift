/// What a reader must know of the samples in a chunk, so that it need not read them.
///
/// A chunk's reference states it, and `verify` compares it with the samples.
package struct ChunkSummary: Hashable, Sendable {
    package let bounds: Bounds
    /// What the filter found, or nil if it was another version of the filter.
    package let filtered: Filtered?

    /// What the samples tell without a filter.
    package struct Bounds: Hashable, Sendable {
        /// 1 to 4,096 in a chunk.
        package let sampleCount: Int
        /// The number of samples with a position.
        package let pointCount: Int
        /// The range from the earliest time to the latest, or nil if no sample has one.
        package let times: ClosedRange<UnixTime>?
        /// The smallest box around the points other than 0° 0', or nil if there are none.
        package let box: Box?
    }

    /// What ``FixFilter`` found by a rule, which depends on the sport.
    package struct Filtered: Hashable, Sendable {
        package let rule: FixRule
        /// The number of flagged fixes.
        package let flagCount: Int
        /// The way from point to point in tenths of a millimetre.
        ///
        /// Without flagged points and gaps between segments.
        let length: Int64
        /// The greatest speed between fixes in mm/s, rounded up; see ``Distance/greatestSpeed``.
        ///
        /// Nil if it is infinite.
        let greatestSpeed: Int64?
        /// The range of times, without those of fixes that the filter gives no time.
        ///
        /// All times if none remain.
        package let times: ClosedRange<UnixTime>?
        /// The first and the last fix that the filter believes, or nil if there is none.
        package let ends: Ends?
    }

    /// The first and the last of a row of fixes, which may be the same one.
    package struct Ends: Hashable, Sendable {
        let first: FixFilter.Fix
        let last: FixFilter.Fix
    }

    package init(of samples: some Sequence<Sample>, by rule: FixRule = .usual) {
        let columns = FixColumns(Samples(samples))
        self.init(bounds: Bounds(columns), filtered: Filtered(columns, by: rule))
    }

    init(bounds: Bounds, filtered: Filtered?) { (self.bounds, self.filtered) = (bounds, filtered) }
}

extension ChunkSummary.Bounds {
    package init(of samples: Samples) { self.init(FixColumns(samples)) }

    fileprivate init(_ columns: FixColumns) {
        var extent = ChunkSummary.Extent()
        var pointCount = 0
        for index in columns.samples {
            guard let place = columns.place(at: index) else { continue }
            pointCount += 1
            if !place.isZero { extent.add(place) }
        }
        self.init(
            sampleCount: columns.samples.count,
            pointCount: pointCount,
            times: columns.times,
            box: extent.box
        )
    }
}

extension ChunkSummary.Filtered {
    fileprivate init(_ columns: FixColumns, by rule: FixRule) {
        var distance = Distance(rule)
        var times: ClosedRange<UnixTime>?
        for index in columns.samples {
            if let fix = columns.fix(at: index) {
                distance.add(fix, accuracy: columns.accuracy[index])
            } else {
                times = times.joined(columns.time(at: index))
            }
        }
        distance.end()
        times = times.joined(distance.times?.lowerBound).joined(distance.times?.upperBound)
        let speed = (distance.greatestSpeed * 1000).rounded(.up)
        self.init(
            rule: rule,
            flagCount: distance.flagCount,
            length: Int64((distance.metres * Self.unitsInMetre).rounded()),
            greatestSpeed: Int64(exactly: speed),
            times: times ?? columns.times,
            ends: distance.ends
        )
    }

    private static let unitsInMetre = 10_000.0

    /// The length of the way in metres.
    package var metres: Double { Double(length) / Self.unitsInMetre }

    /// Returns what another rule finds, or nil if only the samples tell.
    ///
    /// It finds the same if both rules allow the greatest speed.
    func by(_ other: FixRule) -> Self? {
        guard rule != other else { return self }
        guard rule != .off, other != .off, let greatestSpeed,
            Double(greatestSpeed) <= 1000 * min(rule.unseenSpeedLimit, other.unseenSpeedLimit)
        else { return nil }
        return Self(
            rule: other,
            flagCount: flagCount,
            length: length,
            greatestSpeed: greatestSpeed,
            times: times,
            ends: ends
        )
    }
}

extension ChunkSummary {
    /// Returns the summary by another rule, or nil if only the samples tell.
    package func by(_ rule: FixRule) -> Self? {
        guard let filtered = filtered?.by(rule) else { return nil }
        return Self(bounds: bounds, filtered: filtered)
    }

    /// Whether another summary is the same but for the rounding of its length and its speed.
    ///
    /// C libraries differ in the last bit of a sine.
    func isNear(_ other: Self) -> Bool {
        guard let filtered, let others = other.filtered else { return self == other }
        let (speed, otherSpeed) = (filtered.greatestSpeed, others.greatestSpeed)
        guard abs(filtered.length - others.length) <= 1, (speed == nil) == (otherSpeed == nil),
            abs((speed ?? 0) - (otherSpeed ?? 0)) <= 1
        else { return false }
        let rounded = Filtered(
            rule: filtered.rule,
            flagCount: filtered.flagCount,
            length: others.length,
            greatestSpeed: otherSpeed,
            times: filtered.times,
            ends: filtered.ends
        )
        return Self(bounds: bounds, filtered: rounded).value == other.value
    }
}

extension Samples {
    /// The number of points after which a filter no longer depends on where it started.
    ///
    /// Its verdict on the last of them is the same as if it had seen all points before, unless a
    /// large share of the fixes is wrong.
    package static let filterReach = 48

    /// The first and the last ``filterReach`` points, or all points if there are at most twice as
    /// many.
    ///
    /// Reduced to the channels that ``FixFilter`` reads.
    package var ends: Samples { FixColumns(self).ends(reach: Self.filterReach) }
}

/// The columns that ``FixFilter`` reads.
private struct FixColumns {
    /// The indices of the samples.
    let samples: Range<Int>
    private let segment: Column
    private let time: Column
    private let latitude: Column
    private let longitude: Column
    let accuracy: Column

    init(_ samples: Samples) {
        func column(_ channel: Channel) -> Column {
            samples.column(channel) ?? Column(channel: channel)
        }
        self.samples = samples.startIndex..<samples.endIndex
        (segment, time, accuracy) = (column(.segment), column(.time), column(.accuracy))
        (latitude, longitude) = (column(.latitude), column(.longitude))
    }

    /// The range of all times.
    var times: ClosedRange<UnixTime>? {
        let counts = time.counts[time.places(of: samples)]
        guard let first = counts.min(), let last = counts.max() else { return nil }
        return UnixTime(milliseconds: first)...UnixTime(milliseconds: last)
    }

    func time(at index: Int) -> UnixTime? { time[index].map(UnixTime.init(milliseconds:)) }

    /// The position of a sample, or nil if it has none.
    func place(at index: Int) -> Coordinate? {
        guard let latitude = latitude[index], let longitude = longitude[index] else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// The fix of a sample, or nil if it is not a point.
    func fix(at index: Int) -> FixFilter.Fix? {
        guard let place = place(at: index) else { return nil }
        return FixFilter.Fix(place: place, time: time[index], segment: segment[index] ?? 0)
    }

    /// The first and the last `reach` points.
    func ends(reach: Int) -> Samples {
        let head = samples.lazy.filter { fix(at: $0) != nil }.prefix(reach)
        let rest = (head.last ?? samples.upperBound - 1) + 1..<samples.upperBound
        let tail = rest.reversed().lazy.filter { fix(at: $0) != nil }.prefix(reach)
        var ends = Samples()
        for index in Array(head) + tail.reversed() {
            let readings = [segment, time, latitude, longitude, accuracy].compactMap { column in
                column[index].map { Sample.Reading(channel: column.channel, count: $0) }
            }
            ends.append(readings: readings)
        }
        return ends
    }
}

extension ChunkSummary {
    /// A box in 1e-7 degrees; `west` is greater than `east` if it spans the antimeridian.
    package struct Box: Hashable, Sendable {
        package let south: Int32
        package let west: Int32
        package let north: Int32
        package let east: Int32
    }

    /// Tracks the longitudes both across the antimeridian and not; the narrower box is used.
    fileprivate struct Extent {
        private var south = Int32.max
        private var north = Int32.min
        private var west = Int64.max
        private var east = Int64.min
        private var westAcross = Int64.max
        private var eastAcross = Int64.min

        mutating func add(_ place: Coordinate) {
            let longitude = Int64(place.longitude)
            let across = longitude < 0 ? longitude + Coordinate.turn : longitude
            south = min(south, place.latitude)
            north = max(north, place.latitude)
            west = min(west, longitude)
            east = max(east, longitude)
            westAcross = min(westAcross, across)
            eastAcross = max(eastAcross, across)
        }

        var box: Box? {
            guard south <= north else { return nil }
            let isNarrowerAcross = eastAcross - westAcross < east - west
            let (west, east) = isNarrowerAcross ? (westAcross, eastAcross) : (west, east)
            let edges = [west, east].map { Int32(Coordinate.wrapped($0)) }
            return Box(south: south, west: edges[0], north: north, east: edges[1])
        }
    }
}

extension ClosedRange<UnixTime>? {
    /// Returns the range extended to a time, unless that is nil.
    func joined(_ time: UnixTime?) -> Self {
        guard let time else { return self }
        return Swift.min(self?.lowerBound ?? time, time)...Swift.max(self?.upperBound ?? time, time)
    }
}
