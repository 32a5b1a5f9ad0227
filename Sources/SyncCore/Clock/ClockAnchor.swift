/// A server's time tied to the uptime of this boot: what the true time is, whatever the wall says.
public struct ClockAnchor: Hashable, Sendable {
    /// True Unix milliseconds minus uptime milliseconds.
    public let bootMilliseconds: Int64
    /// The boot for which this holds.
    public let boot: Identifier

    package init(bootMilliseconds: Int64, boot: Identifier) {
        self.bootMilliseconds = bootMilliseconds
        self.boot = boot
    }

    /// Ties the server's time to the middle of the request that asked for it.
    package init(server: UnixTime, asked: Moment, answered: Moment) {
        let middle = asked.uptimeMilliseconds / 2 + answered.uptimeMilliseconds / 2
        bootMilliseconds = server.milliseconds &- middle
        boot = answered.boot
    }

    /// The true time at a moment of the same boot, nil in any other.
    package func time(at moment: Moment) -> UnixTime? {
        guard moment.boot == boot else { return nil }
        return UnixTime(milliseconds: bootMilliseconds &+ moment.uptimeMilliseconds)
    }

    /// How far the true time is ahead of the wall clock, in milliseconds.
    package func offsetMilliseconds(at moment: Moment) -> Int64? {
        time(at: moment).map { $0.milliseconds &- moment.wall.milliseconds }
    }
}
