/// How far the clocks of a place are ahead of UTC, in whole minutes.
public struct UTCOffset: Hashable, Sendable {
    /// Minutes, -1080...1080; negative to the west.
    public let minutes: Int

    /// No place on earth was ever farther from UTC.
    private static let range = -1080...1080

    /// An offset that clocks can have; nil for any other.
    public init?(minutes: some BinaryInteger) {
        guard let minutes = Int(exactly: minutes), Self.range.contains(minutes) else { return nil }
        self.minutes = minutes
    }
}

extension UTCOffset: CustomStringConvertible {
    /// As RFC 3339 writes it: `+02:00`.
    public var description: String {
        let (hours, rest) = Int(minutes.magnitude).quotientAndRemainder(dividingBy: 60)
        return (minutes < 0 ? "-" : "+") + (hours < 10 ? "0" : "") + "\(hours):"
            + (rest < 10 ? "0" : "") + "\(rest)"
    }
}
