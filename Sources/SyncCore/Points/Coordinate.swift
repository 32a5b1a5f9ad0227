/// A position on WGS 84 in 1e-7 degrees (1.1 cm at the equator), within range.
package struct Coordinate: Hashable, Sendable {
    /// Degrees north in 1e-7 degrees, ±900,000,000.
    package let latitude: Int32
    /// Degrees east in 1e-7 degrees, ±1,800,000,000.
    package let longitude: Int32

    /// Validates untrusted counts, or returns nil if one is out of range.
    package init?(latitude: Int64, longitude: Int64) {
        guard (-900_000_000...900_000_000).contains(latitude),
            (-1_800_000_000...1_800_000_000).contains(longitude)
        else { return nil }
        (self.latitude, self.longitude) = (Int32(latitude), Int32(longitude))
    }

    /// Whether the position is 0° 0', which receivers without a fix report.
    package var isZero: Bool { latitude == 0 && longitude == 0 }
}

extension Sample {
    /// Creates a sample of a position only.
    init(at place: Coordinate) {
        self.init(ascending: [
            Reading(channel: .latitude, count: Int64(place.latitude)),
            Reading(channel: .longitude, count: Int64(place.longitude)),
        ])
    }

    /// The sample's position, or nil unless both coordinates are present and in range.
    package internal(set) var coordinate: Coordinate? {
        get {
            guard let latitude = self[count: .latitude], let longitude = self[count: .longitude]
            else { return nil }
            return Coordinate(latitude: latitude, longitude: longitude)
        }
        set {
            self[count: .latitude] = newValue.map { Int64($0.latitude) }
            self[count: .longitude] = newValue.map { Int64($0.longitude) }
        }
    }
}
