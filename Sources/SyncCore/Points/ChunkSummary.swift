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
    /// The smallest box around the points; nil without points.
    package private(set) var box: Box?
    /// Metres from point to point, not counted across segments.
    package private(set) var distanceMetres = 0.0
    /// The first sample with a position, with all its readings.
    package private(set) var firstPoint: Sample?
    /// The last sample with a position.
    package private(set) var lastPoint: Sample?

    /// Sums up `samples`.
    package init(of samples: some Sequence<Sample>) {
        var distance = Distance()
        var extent = Extent()
        for sample in samples {
            sampleCount += 1
            distance.add(sample)
            if let time = sample.time {
                firstTime = min(firstTime ?? time, time)
                lastTime = max(lastTime ?? time, time)
            }
            guard let place = sample.coordinate else { continue }
            pointCount += 1
            extent.add(place)
            if firstPoint == nil { firstPoint = sample }
            lastPoint = sample
        }
        box = pointCount > 0 ? extent.box : nil
        distanceMetres = distance.metres
    }
}

extension ChunkSummary {
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

        var box: Box {
            let isNarrowerAcross = eastAcross - westAcross < east - west
            let (west, east) = isNarrowerAcross ? (westAcross, eastAcross) : (west, east)
            return Box(south: south, west: wrapped(west), north: north, east: wrapped(east))
        }

        private func wrapped(_ longitude: Int64) -> Int32 {
            Int32(longitude > Self.turn / 2 ? longitude - Self.turn : longitude)
        }
    }
}
