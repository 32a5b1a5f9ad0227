/// When a recorder looks whether somebody paused or ended its track.
struct RecorderControl: Sendable {
    static let pauseMilliseconds: Int64 = 500
    private var looked: Int64?

    /// Whether to look now; `now` is the uptime in milliseconds.
    mutating func shouldLook(at now: Int64) -> Bool {
        if let looked, now - looked < Self.pauseMilliseconds { return false }
        looked = now
        return true
    }
}
