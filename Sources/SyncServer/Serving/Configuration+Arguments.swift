internal import ProgramKit
internal import SyncCore

extension Configuration.Serve {
    init(_ arguments: Arguments, data: String) throws {
        self.init(data: data)
        listen = arguments.option("--listen") ?? listen
        health = arguments.option("--health") ?? Self.defaultHealth(besides: listen)
        if health == "none" { health = nil }
        authority = try arguments.authority()
        if let text = arguments.option("--proxy") {
            guard let address = PeerAddress(text) else { throw ConfigurationError.badProxy(text) }
            proxy = address
        }
        encryption = try Self.encryption(arguments, isProxied: proxy != nil)
        if let count = try arguments.integer("--reserve", in: 0...Self.reserveLimit) {
            reserveMebibytes = Int64(count)
        }
        try check()
    }

    private static let reserveLimit = 1 << 20

    /// Returns who encrypts: with a proxy or `--plain`, the server itself does not.
    private static func encryption(
        _ arguments: Arguments,
        isProxied: Bool
    ) throws -> Configuration.Encryption {
        let isPlain = arguments.flag("--plain")
        guard isPlain || isProxied else {
            let given = try arguments.certificate(of: "serve")
            return given.map { .given(certificate: $0.certificate, key: $0.key) } ?? .own
        }
        guard (arguments.option("--certificate") ?? arguments.option("--key")) == nil else {
            let other = "--certificate and --key"
            throw ConfigurationError.notTogether(isPlain ? "--plain" : "--proxy", other)
        }
        return .plain
    }

    /// Rejects unencrypted listeners that other machines can reach, unless a proxy is set.
    private func check() throws(ConfigurationError) {
        // The listener accepts more spellings, whose host would be unknown here.
        func isHere(_ address: String) throws(ConfigurationError) -> Bool {
            guard let authority = Authority(address) else { throw .notAuthority(address) }
            return authority.isLoopback
        }
        if let health, try !isHere(health) { throw .healthElsewhere(health) }
        if let health, health == listen, !listen.hasSuffix(":0") { throw .sameAddress(listen) }
        guard encryption == .plain, proxy == nil else { return }
        for address in [listen, authority ?? listen] {
            guard try isHere(address) else { throw .plainElsewhere(address) }
        }
    }

    /// Returns the loopback address with the port after that of the devices' listener.
    private static func defaultHealth(besides listen: String) -> String {
        let port = listen.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        return "127.0.0.1:\(port == 0 || port == .max ? 0 : port + 1)"
    }
}
