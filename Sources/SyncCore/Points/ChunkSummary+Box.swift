extension ChunkSummary.Box {
    /// The eastward extent, in 1e-7 degrees.
    var width: Int64 { Self.eastward(from: Int64(west), to: Int64(east)) }

    /// Returns the smallest box around both, across the antimeridian if that is narrower.
    package func union(_ other: Self) -> Self {
        let from = [(self, other), (other, self)].map { first, second in
            let start = Self.eastward(from: Int64(first.west), to: Int64(second.west))
            return (west: first.west, width: max(first.width, start + second.width))
        }
        let (west, width) = from[0].width <= from[1].width ? from[0] : from[1]
        let isAround = width >= Coordinate.turn
        return Self(
            south: min(south, other.south),
            west: isAround ? -1_800_000_000 : west,
            north: max(north, other.north),
            east: isAround ? 1_800_000_000 : Int32(Coordinate.wrapped(Int64(west) + width))
        )
    }

    /// Returns the metres from a place to the box, or 0 inside it.
    ///
    /// Measures to the place with its latitude and longitude clamped to the box.
    package func metres(to place: Coordinate) -> Double {
        let inside = Self.eastward(from: Int64(west), to: Int64(place.longitude))
        let isEastNearer = inside - width < Coordinate.turn - inside
        let nearest = Coordinate(
            latitude: Int64(min(max(place.latitude, south), north)),
            longitude: Int64(inside <= width ? place.longitude : isEastNearer ? east : west)
        )
        return nearest?.metres(to: place) ?? .infinity
    }

    /// Returns the way east from one longitude to another, 0 to a turn in 1e-7 degrees.
    static func eastward(from west: Int64, to east: Int64) -> Int64 {
        let difference = east - west
        return difference < 0 ? difference + Coordinate.turn : difference
    }
}
