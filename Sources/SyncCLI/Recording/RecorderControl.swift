/// Limits how often a recorder checks whether its track was paused or stopped.
struct RecorderControl: Sendable {
    static let pauseMilliseconds: Int64 = 500
    private var looked: Int64?

    /// Returns whether to check now; `now` is the uptime in milliseconds.
    mutating func shouldLook(at now: Int64) -> Bool {
        if let looked, now - looked < Self.pauseMilliseconds { return false }
        looked = now
        return true
    }
}
