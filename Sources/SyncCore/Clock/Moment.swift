/// What the clocks of a device say at one instant; read outside and passed in.
public struct Moment: Hashable, Sendable {
    /// The wall clock, which a person or a network can set to anything.
    public let wall: UnixTime
    /// Milliseconds since the start of the machine, sleep included; it never jumps.
    public let uptimeMilliseconds: Int64
    /// Which start of the machine that was.
    public let boot: Identifier

    /// The readings of one instant.
    public init(wall: UnixTime, uptimeMilliseconds: Int64, boot: Identifier) {
        self.wall = wall
        self.uptimeMilliseconds = uptimeMilliseconds
        self.boot = boot
    }
}
