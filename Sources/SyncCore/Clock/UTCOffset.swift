/// A local time's offset from UTC in whole minutes.
public struct UTCOffset: Hashable, Sendable {
    /// Minutes ahead of UTC, -1080...1080; negative to the west.
    public let minutes: Int

    /// No zone has ever had a larger offset.
    private static let range = -1080...1080

    /// Creates an offset within ±18 hours; nil for any other.
    public init?(minutes: some BinaryInteger) {
        guard let minutes = Int(exactly: minutes), Self.range.contains(minutes) else { return nil }
        self.minutes = minutes
    }
}

extension UTCOffset: CustomStringConvertible {
    /// The offset in the format of RFC 3339, such as `+02:00`.
    public var description: String {
        let (hours, rest) = Int(minutes.magnitude).quotientAndRemainder(dividingBy: 60)
        return (minutes < 0 ? "-" : "+") + hours.padded(to: 2) + ":" + rest.padded(to: 2)
    }
}
