/// A server's time tied to this boot's uptime, which gives the true time even if the wall clock is
/// wrong.
public struct ClockAnchor: Hashable, Sendable {
    /// The true Unix time minus the uptime, in milliseconds.
    public let bootMilliseconds: Int64
    /// The boot for which the anchor is valid.
    public let boot: Identifier
    /// The largest possible error in milliseconds: half the duration of the request.
    public let uncertaintyMilliseconds: Int64

    package init(bootMilliseconds: Int64, boot: Identifier, uncertaintyMilliseconds: Int64 = 0) {
        (self.bootMilliseconds, self.boot) = (bootMilliseconds, boot)
        self.uncertaintyMilliseconds = uncertaintyMilliseconds
    }

    /// Errors of the wall clock up to this are not corrected, in milliseconds.
    package static let toleratedError: UInt64 = 2000

    /// The largest difference between the wall clock and the anchor that counts as no error, in
    /// milliseconds.
    var toleranceMilliseconds: UInt64 {
        Self.toleratedError + UInt64(max(uncertaintyMilliseconds, 0))
    }

    /// Ties the server's time to the middle of the request that returned it.
    package init(server: UnixTime, asked: Moment, answered: Moment) {
        let half = (answered.uptimeMilliseconds &- asked.uptimeMilliseconds) / 2
        bootMilliseconds = server.milliseconds &- asked.uptimeMilliseconds &- half
        boot = answered.boot
        uncertaintyMilliseconds = max(half, 0)
    }

    /// Returns the better of two anchors.
    ///
    /// That is the later one if the boots differ or the anchors contradict each other, else the one
    /// with the smaller uncertainty. So the reply to a slow upload does not replace a precise one.
    package func updated(by later: ClockAnchor) -> ClockAnchor {
        let difference = later.bootMilliseconds.subtractingReportingOverflow(bootMilliseconds)
        let both = uncertaintyMilliseconds + later.uncertaintyMilliseconds
        let agree = !difference.overflow && difference.partialValue.magnitude <= both.magnitude
        let isTighter = later.uncertaintyMilliseconds <= uncertaintyMilliseconds
        return boot == later.boot && agree && !isTighter ? self : later
    }

    /// Returns the true time at a moment of the same boot, or nil for any other boot.
    package func time(at moment: Moment) -> UnixTime? {
        guard moment.boot == boot else { return nil }
        return UnixTime(milliseconds: bootMilliseconds &+ moment.uptimeMilliseconds)
    }

    /// Returns the true time minus the wall clock in milliseconds, or nil for any other boot.
    package func offsetMilliseconds(at moment: Moment) -> Int64? {
        time(at: moment).map { $0.milliseconds &- moment.wall.milliseconds }
    }
}
