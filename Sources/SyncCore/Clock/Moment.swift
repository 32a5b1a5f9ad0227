/// The readings of a device's clocks at one instant, always passed in as an argument.
public struct Moment: Hashable, Sendable {
    /// The wall clock, which a person or the network can set to any time.
    public let wall: UnixTime
    /// Milliseconds since the machine booted, including sleep; never jumps.
    public let uptimeMilliseconds: Int64
    /// The id of this boot.
    public let boot: Identifier

    /// Creates a moment from the readings of one instant.
    public init(wall: UnixTime, uptimeMilliseconds: Int64, boot: Identifier) {
        (self.wall, self.uptimeMilliseconds, self.boot) = (wall, uptimeMilliseconds, boot)
    }
}
