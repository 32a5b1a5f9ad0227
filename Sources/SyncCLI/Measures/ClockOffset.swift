/// How far this machine's clock is from the server's.
struct ClockOffset: Hashable, Sendable {
    /// The server's time less this machine's.
    let milliseconds: Int64

    /// Whether nobody would notice.
    var isRight: Bool { (-2000...2000).contains(milliseconds) }

    /// `right (off by 0.3 s)`, `400 d 2 h ahead of the server's`.
    var words: String {
        let span = Elapsed.span(milliseconds: milliseconds)
        if isRight { return "correct (off by \(span))" }
        return "\(span) \(milliseconds < 0 ? "ahead of" : "behind") the server's"
    }
}
