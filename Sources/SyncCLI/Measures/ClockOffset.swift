/// The difference between the server's clock and this machine's.
struct ClockOffset: Hashable, Sendable {
    /// The server's time minus this machine's.
    let milliseconds: Int64

    /// Whether the clock is within 2 seconds of the server's.
    var isRight: Bool { (-2000...2000).contains(milliseconds) }

    /// The offset as text: `right (off by 0.3 s)` or `400 d 2 h ahead of the server's`.
    var words: String {
        let span = Elapsed.span(milliseconds: milliseconds)
        if isRight { return "correct (off by \(span))" }
        return "\(span) \(milliseconds < 0 ? "ahead of" : "behind") the server's"
    }
}
