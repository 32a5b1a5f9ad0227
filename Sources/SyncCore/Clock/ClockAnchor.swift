/// A server's time tied to the uptime of this boot: what the true time is, whatever the wall says.
public struct ClockAnchor: Hashable, Sendable {
    /// True Unix milliseconds minus uptime milliseconds.
    public let bootMilliseconds: Int64
    /// The boot for which this holds.
    public let boot: Identifier
    /// How far it can be wrong: half the time that the answer took.
    public let uncertaintyMilliseconds: Int64

    package init(bootMilliseconds: Int64, boot: Identifier, uncertaintyMilliseconds: Int64 = 0) {
        self.bootMilliseconds = bootMilliseconds
        self.boot = boot
        self.uncertaintyMilliseconds = uncertaintyMilliseconds
    }

    /// Ties the server's time to the middle of the request that asked for it.
    package init(server: UnixTime, asked: Moment, answered: Moment) {
        let half = (answered.uptimeMilliseconds &- asked.uptimeMilliseconds) / 2
        bootMilliseconds = server.milliseconds &- asked.uptimeMilliseconds &- half
        boot = answered.boot
        uncertaintyMilliseconds = max(half, 0)
    }

    /// The better of two: the later one of another boot or where they contradict each other, else
    /// the one that is less uncertain.
    ///
    /// So a slow upload does not spoil what a quick answer told.
    package func updated(by later: ClockAnchor) -> ClockAnchor {
        let difference = later.bootMilliseconds.subtractingReportingOverflow(bootMilliseconds)
        let both = uncertaintyMilliseconds + later.uncertaintyMilliseconds
        let agree = !difference.overflow && difference.partialValue.magnitude <= both.magnitude
        let isTighter = later.uncertaintyMilliseconds <= uncertaintyMilliseconds
        return boot == later.boot && agree && !isTighter ? self : later
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
