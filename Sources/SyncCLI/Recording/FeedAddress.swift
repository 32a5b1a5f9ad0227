import ProgramKit

/// The source of a recording.
enum FeedAddress: Hashable, Sendable {
    case standardInput
    /// A log file, a named pipe or a serial device.
    case file(String)
    /// A plotter, multiplexer or receiver on the network.
    case tcp(host: String, port: String)
    /// Datagrams that arrive on a port, on all local addresses or on one.
    case udp(host: String?, port: String)
    /// A gpsd, which sends JSON.
    case gpsd(host: String, port: String)

    /// The default port of gpsd (gpsd(8)).
    private static let gpsdPort = "2947"

    /// Parses a source of NMEA 0183: `-`, `tcp://host:port`, `udp://:port` or a path.
    ///
    /// Returns nil for any other scheme or an invalid port.
    init?(nmea text: String) {
        guard text != "-" else {
            self = .standardInput
            return
        }
        guard let separator = text.firstRange(of: "://") else {
            self = .file(text)
            return
        }
        let place = Self.place(text[separator.upperBound...])
        guard let port = place.port else { return nil }
        switch (text[..<separator.lowerBound], place.host) {
        case ("tcp", let host?): self = .tcp(host: host, port: port)
        case ("udp", let host): self = .udp(host: host, port: port)
        default: return nil
        }
    }

    /// Parses the `host` or `host:port` of a gpsd; returns nil for an invalid port.
    init?(gpsd text: String) {
        // More than one colon without brackets is an IPv6 address.
        guard text.count(where: { $0 == ":" }) < 2 || text.hasPrefix("[") else {
            self = .gpsd(host: text, port: Self.gpsdPort)
            return
        }
        let place = Self.place(text[...])
        if let host = place.host, let port = place.port {
            self = .gpsd(host: host, port: port)
        } else if !text.contains(":"), !text.isEmpty {
            self = .gpsd(host: text, port: Self.gpsdPort)
        } else {
            return nil
        }
    }

    /// Splits `host:port`; both parts are nil if the port is invalid.
    private static func place(_ text: Substring) -> (host: String?, port: String?) {
        let place = String(text.reversed().drop { $0 == "/" }.reversed())
        guard let colon = place.lastIndex(of: ":"),
            let port = UInt16(place[place.index(after: colon)...]), port > 0
        else { return (nil, nil) }
        var host = place[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return (host.isEmpty ? nil : String(host), String(port))
    }
}

extension FeedAddress: CustomStringConvertible {
    var description: String {
        switch self {
        case .standardInput: "standard input"
        case .file(let path): path
        case .tcp(let host, let port): "tcp://" + Self.text(host, port)
        case .udp(let host, let port): "udp://" + Self.text(host ?? "", port)
        case .gpsd(let host, let port): "gpsd at " + Self.text(host, port)
        }
    }

    private static func text(_ host: String, _ port: String) -> String {
        "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
