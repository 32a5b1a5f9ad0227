/// Where a recorder reads NMEA 0183.
enum FeedAddress: Hashable, Sendable {
    case standardInput
    /// A log, a named pipe or a serial device.
    case file(String)
    /// A plotter, a multiplexer or a receiver in the network.
    case tcp(host: String, port: String)

    /// Reads `-`, `tcp://host:port` or a path; nil for another scheme or a port that is none.
    init?(_ text: String) {
        guard text != "-" else {
            self = .standardInput
            return
        }
        guard text.contains("://") else {
            self = .file(text)
            return
        }
        let scheme = "tcp://"
        guard text.hasPrefix(scheme) else { return nil }
        let rest = text.dropFirst(scheme.count).reversed().drop { $0 == "/" }.reversed()
        let place = String(rest)
        guard let colon = place.lastIndex(of: ":"), colon > place.startIndex,
            let port = UInt16(place[place.index(after: colon)...]), port > 0
        else { return nil }
        let host = place[..<colon].filter { $0 != "[" && $0 != "]" }
        self = .tcp(host: String(host), port: String(port))
    }
}

extension FeedAddress: CustomStringConvertible {
    var description: String {
        switch self {
        case .standardInput: "standard input"
        case .file(let path): path
        case .tcp(let host, let port): "tcp://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }
    }
}
