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
    package private(set) var ends: [Sample] = []

    /// The number of points after which a filter no longer depends on where it started.
    ///
    /// Its verdict on the last of them is the same as if it had seen all points before, unless a
    /// large share of the fixes is wrong.
    package static let reach = 48

    package init(of samples: some Sequence<Sample>, by rule: FixRule = .usual) {
        self.rule = rule
        var distance = Distance(rule)
        var extent = Extent()
        var tail: [Sample] = []
        var sensed: ClosedRange<UnixTime>?
        for sample in samples {
            sampleCount += 1
            distance.add(sample)
            times = times.joined(sample.time)
            guard let place = sample.coordinate else {
                sensed = sensed.joined(sample.time)
                continue
            }
            pointCount += 1
            if !place.isZero { extent.add(place) }
            if ends.count < Self.reach {
                ends.append(sample.judgeable)
            } else {
                tail.append(sample)
                // Not for each point: shifting the array would cost more than everything else here.
                if tail.count == 8 * Self.reach { tail.removeFirst(7 * Self.reach) }
            }
        }
        box = extent.box
        distance.end()
        distanceMetres = distance.metres
        greatestSpeed = distance.greatestSpeed
        believedTimes =
            sensed.joined(distance.times?.lowerBound).joined(distance.times?.upperBound) ?? times
        ends += tail.suffix(Self.reach).map(\.judgeable)
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

extension Sample {
    private static let judged: Set<Channel> = [.segment, .time, .latitude, .longitude, .accuracy]

    /// The sample reduced to the channels that ``FixFilter`` reads.
    fileprivate var judgeable: Sample {
        Sample(ascending: readings.filter { Self.judged.contains($0.channel) })
    }
}
