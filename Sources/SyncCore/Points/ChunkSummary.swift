/// What can be said of a chunk without its samples: what a reference to it carries.
package struct ChunkSummary: Hashable, Sendable {
    /// Samples in the chunk.
    package private(set) var sampleCount = 0
    /// Samples with a position.
    package private(set) var pointCount = 0
    /// The earliest time; nil when no sample has one.
    package private(set) var firstTime: UnixTime?
    /// The latest time.
    package private(set) var lastTime: UnixTime?
    /// From the earliest time to the latest of what the fixes at 0° 0' and out of time leave; all
    /// times where that is nothing.
    package private(set) var believedTimes: ClosedRange<UnixTime>?
    /// The smallest box around the points but 0° 0'; nil without any.
    package private(set) var box: Box?
    /// What the points were judged by.
    package let rule: FixRule
    /// Metres from point to point, without those that are flagged, and not across segments.
    package private(set) var distanceMetres = 0.0
    /// See ``Distance/greatestSpeed``.
    package private(set) var greatestSpeed = 0.0
    /// The first and the last ``reach`` points, or all where they are no more, with as much as their
    /// judgement needs.
    package private(set) var ends: [Sample] = []

    /// So many points that a judgement which begins at the first of them has become the same, at the
    /// last, as one that began before; but where a good part of all fixes is wrong.
    package static let reach = 48

    /// Sums up `samples`.
    package init(of samples: some Sequence<Sample>, by rule: FixRule = .usual) {
        self.rule = rule
        var distance = Distance(rule)
        var extent = Extent()
        var tail: [Sample] = []
        var sensed: ClosedRange<Int64>?
        for sample in samples {
            sampleCount += 1
            distance.add(sample)
            if let time = sample.time {
                firstTime = min(firstTime ?? time, time)
                lastTime = max(lastTime ?? time, time)
            }
            guard let place = sample.coordinate else {
                sensed = sensed.joined(sample.time?.milliseconds)
                continue
            }
            pointCount += 1
            if !place.isZero { extent.add(place) }
            if ends.count < Self.reach {
                ends.append(sample.judgeable)
            } else {
                tail.append(sample)
                // Not at each point: moving them all would cost more than the rest here.
                if tail.count == 8 * Self.reach { tail.removeFirst(7 * Self.reach) }
            }
        }
        box = extent.box
        distance.end()
        distanceMetres = distance.metres
        greatestSpeed = distance.greatestSpeed
        believedTimes =
            sensed.joined(distance.times?.lowerBound).joined(distance.times?.upperBound)
            .map { UnixTime(milliseconds: $0.lowerBound)...UnixTime(milliseconds: $0.upperBound) }
            ?? times
        ends += tail.suffix(Self.reach).map(\.judgeable)
    }
}

extension ChunkSummary {
    /// From the earliest time to the latest.
    package var times: ClosedRange<UnixTime>? {
        guard let firstTime, let lastTime else { return nil }
        return firstTime...lastTime
    }

    /// A box in 1e-7 degrees; `west` is greater than `east` when it spans the antimeridian.
    package struct Box: Hashable, Sendable {
        /// The least latitude.
        package let south: Int32
        /// The longitude where the box begins, going east.
        package let west: Int32
        /// The greatest latitude.
        package let north: Int32
        /// The longitude where the box ends.
        package let east: Int32

        /// The box with these edges.
        package init(south: Int32, west: Int32, north: Int32, east: Int32) {
            self.south = south
            self.west = west
            self.north = north
            self.east = east
        }
    }

    /// Keeps both boxes, with and without the antimeridian in it, and takes the narrower one.
    private struct Extent {
        private static let turn: Int64 = 3_600_000_000
        private var south = Int32.max
        private var north = Int32.min
        private var west = Int64.max
        private var east = Int64.min
        private var westAcross = Int64.max
        private var eastAcross = Int64.min

        mutating func add(_ place: Coordinate) {
            let longitude = Int64(place.longitude)
            let across = longitude < 0 ? longitude + Self.turn : longitude
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
            return Box(south: south, west: wrapped(west), north: north, east: wrapped(east))
        }

        private func wrapped(_ longitude: Int64) -> Int32 {
            Int32(longitude > Self.turn / 2 ? longitude - Self.turn : longitude)
        }
    }
}

extension ClosedRange<Int64>? {
    /// The range with one more in it.
    fileprivate func joined(_ next: Int64?) -> Self {
        guard let next else { return self }
        return Swift.min(self?.lowerBound ?? next, next)...Swift.max(self?.upperBound ?? next, next)
    }
}

extension Sample {
    private static let judged: Set<Channel> = [.segment, .time, .latitude, .longitude, .accuracy]

    /// The sample with what ``FixFilter`` looks at.
    fileprivate var judgeable: Sample {
        Sample(ascending: readings.filter { Self.judged.contains($0.channel) })
    }
}
