/// What a replica keeps of a chunk besides its samples.
package struct ChunkSummary: Hashable, Sendable {
    package private(set) var sampleCount = 0
    /// The number of samples with a position.
    package private(set) var pointCount = 0
    /// The range from the earliest time to the latest, or nil if no sample has one.
    package private(set) var times: ClosedRange<UnixTime>?
    /// The range of times, without those of fixes that ``FixFilter`` gives no time.
    ///
    /// All times if none remain.
    package private(set) var believedTimes: ClosedRange<UnixTime>?
    /// The smallest box around the points other than 0° 0', or nil if there are none.
    package private(set) var box: Box?
    /// The rule that the points were filtered by.
    package let rule: FixRule
    /// Metres from point to point, without flagged points and gaps between segments.
    package private(set) var distanceMetres = 0.0
    /// See ``Distance/greatestSpeed``.
    package private(set) var greatestSpeed = 0.0
    /// The first and the last ``reach`` points, or all points if there are at most twice as many.
    ///
    /// Reduced to the channels that ``FixFilter`` reads.
    package private(set) var ends = Samples()

    /// The number of points after which a filter no longer depends on where it started.
    ///
    /// Its verdict on the last of them is the same as if it had seen all points before, unless a
    /// large share of the fixes is wrong.
    package static let reach = 48

    package init(of samples: some Sequence<Sample>, by rule: FixRule = .usual) {
        self.rule = rule
        let columns = FixColumns(Samples(samples))
        sampleCount = columns.samples.count
        times = columns.times
        var distance = Distance(rule)
        var extent = Extent()
        var sensed: ClosedRange<UnixTime>?
        for index in columns.samples {
            guard let fix = columns.fix(at: index) else {
                sensed = sensed.joined(columns.time(at: index))
                continue
            }
            distance.add(fix, accuracy: columns.accuracy[index])
            pointCount += 1
            if !fix.place.isZero { extent.add(fix.place) }
        }
        box = extent.box
        distance.end()
        distanceMetres = distance.metres
        greatestSpeed = distance.greatestSpeed
        believedTimes =
            sensed.joined(distance.times?.lowerBound).joined(distance.times?.upperBound) ?? times
        ends = columns.ends(reach: Self.reach)
    }
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

    /// The fix of a sample, or nil if it is not a point.
    func fix(at index: Int) -> FixFilter.Fix? {
        guard let latitude = latitude[index], let longitude = longitude[index],
            let place = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
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
    private struct Extent {
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
