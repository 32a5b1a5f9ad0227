internal import SyncCore

/// What the server was asked to do, read from its arguments.
enum Configuration: Equatable {
    /// Answer requests until a signal.
    case serve(Serve)
    /// Print a link that lets a person's device in.
    case invite(Guest, data: String, authority: String?)
    /// Make a verified copy of the store.
    case backup(file: String, data: String)
    /// Put a backup in the store's place, or an empty store where no file is given.
    case restore(file: String?, data: String)
    /// Tell what is well and what is not.
    case doctor(Doctor)
    /// Explain.
    case help
    /// Print the version.
    case version

    /// Whom a link is for.
    enum Guest: Equatable {
        /// A new person of this name.
        case new(name: String)
        /// The person whose own space this is, and whose devices are all revoked or gone.
        case owner(of: Identifier)
    }

    /// Where to serve from and to.
    struct Serve: Equatable {
        /// The folder of the store, the views and the master key.
        var data: String
        /// `host:port` of the devices' listener.
        var listen = "127.0.0.1:8300"
        /// `host:port` of the operators' listener; nil for none.
        var health: String?
        /// What devices call this server; the listener's address where not given.
        var authority: String?
        /// How the devices' listener encrypts.
        var encryption = Encryption.own
        /// The IP address of the one proxy that may connect, which encrypts for it.
        var proxy: PeerAddress?
        /// Room on the disk that is held back for small writes, in MiB.
        var reserveMebibytes: Int64 = 64

        /// Whether the listener has every address of this machine, and nobody said which one
        /// devices should take.
        var linksNameNoMachine: Bool {
            authority == nil && ["0.0.0.0", "[::]"].contains(Authority(listen)?.host)
        }
    }

    /// Who encrypts what goes to devices, and with which certificate.
    enum Encryption: Equatable {
        /// TLS with the certificate that the server made for itself.
        case own
        /// TLS with the certificate and key of these files.
        case given(certificate: String, key: String)
        /// Nobody, on this machine; or the proxy.
        case plain
    }

    /// Reads the words after the program's name.
    init(_ words: [String]) throws(ConfigurationError) {
        var words = words[...]
        guard let verb = words.popFirst() else { throw .noCommand }
        if words.contains("--help") || verb == "--help" || verb == "help" {
            self = .help
            return
        }
        switch verb {
        case "--version": self = .version
        case "serve": self = try Self.serve(words)
        case "invite": self = try Self.invite(words)
        case "backup": self = try Self.backup(words)
        case "restore": self = try Self.restore(words)
        case "doctor": self = try Self.doctor(words)
        default: throw .unknownWord(verb)
        }
    }

    private static func serve(_ words: ArraySlice<String>) throws(ConfigurationError) -> Self {
        var options = try Options(
            words,
            names: [
                "--data", "--listen", "--health", "--authority", "--certificate", "--key",
                "--proxy", "--reserve",
            ],
            flags: ["--plain"]
        )
        guard options.words.isEmpty else { throw .unknownWord(options.words[0]) }
        var serve = Serve(data: try options.required("--data"))
        serve.listen = options.take("--listen") ?? serve.listen
        serve.health = options.take("--health") ?? defaultHealth(besides: serve.listen)
        if serve.health == "none" { serve.health = nil }
        serve.authority = try options.takeAuthority()
        if let proxy = options.take("--proxy") {
            guard let address = PeerAddress(proxy) else { throw .badProxy(proxy) }
            serve.proxy = address
        }
        serve.encryption = try encryption(&options, isProxied: serve.proxy != nil)
        if let text = options.take("--reserve") { serve.reserveMebibytes = try reserve(text) }
        try check(serve)
        return .serve(serve)
    }

    /// A proxy encrypts in the server's place.
    private static func encryption(
        _ options: inout Options,
        isProxied: Bool
    ) throws(ConfigurationError) -> Encryption {
        let isPlain = options.flags.contains("--plain")
        switch (options.take("--certificate"), options.take("--key")) {
        case (nil, nil): return isPlain || isProxied ? .plain : .own
        case (_?, _) where isPlain || isProxied, (_, _?) where isPlain || isProxied:
            throw .notTogether(isPlain ? "--plain" : "--proxy", "--certificate and --key")
        case (let certificate?, let key?): return .given(certificate: certificate, key: key)
        case (_?, nil): throw .missing("--key")
        case (nil, _?): throw .missing("--certificate")
        }
    }

    /// What is not encrypted stays on this machine, or between proxy and server.
    private static func check(_ serve: Serve) throws(ConfigurationError) {
        // The listener reads more spellings than these: what is no authority may be anywhere.
        func isHere(_ address: String) throws(ConfigurationError) -> Bool {
            guard let authority = Authority(address) else { throw .notAuthority(address) }
            return authority.isLoopback
        }
        if let health = serve.health, try !isHere(health) { throw .healthElsewhere(health) }
        guard serve.encryption == .plain, serve.proxy == nil else { return }
        for address in [serve.listen, serve.authority ?? serve.listen] {
            guard try isHere(address) else { throw .plainElsewhere(address) }
        }
    }

    private static func reserve(_ text: String) throws(ConfigurationError) -> Int64 {
        guard let count = Int64(text), (0...reserveLimit).contains(count) else {
            throw .badReserve(text)
        }
        return count
    }

    private static let reserveLimit: Int64 = 1 << 20

    private static func invite(_ words: ArraySlice<String>) throws(ConfigurationError) -> Self {
        var options = try Options(words, names: ["--data", "--authority", "--space"])
        return .invite(
            try guest(&options),
            data: try options.required("--data"),
            authority: try options.takeAuthority()
        )
    }

    private static func guest(_ options: inout Options) throws(ConfigurationError) -> Guest {
        if let text = options.take("--space") {
            if let word = options.words.first { throw .unknownWord(word) }
            guard let space = Identifier(text) else { throw .notSpace(text) }
            return .owner(of: space)
        }
        guard options.words.count == 1, let name = options.words.first else {
            throw options.words.isEmpty ? .missing("NAME") : .unknownWord(options.words[1])
        }
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard (1...nameByteLimit).contains(name.utf8.count), isPlain,
            !name.allSatisfy(\.isWhitespace)
        else { throw .badName(name.utf8.count) }
        return .new(name: name)
    }

    /// A person's name as the operator knows it.
    private static let nameByteLimit = 200

    /// The port above that of the devices, on loopback.
    private static func defaultHealth(besides listen: String) -> String {
        let port = listen.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        return "127.0.0.1:\(port == 0 || port == .max ? 0 : port + 1)"
    }

    /// Words, flags, and `--name value` or `--name=value` pairs.
    struct Options {
        var words: [String] = []
        var values: [String: String] = [:]
        var flags: Set<String> = []

        init(
            _ input: ArraySlice<String>,
            names: [String],
            flags known: [String] = []
        ) throws(ConfigurationError) {
            var input = input
            while let word = input.popFirst() {
                guard word.hasPrefix("--") else {
                    words.append(word)
                    continue
                }
                guard !known.contains(word) else {
                    flags.insert(word)
                    continue
                }
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                guard names.contains(parts[0]) else { throw .unknownWord(word) }
                guard let value = parts.count == 2 ? parts[1] : input.popFirst() else {
                    throw .missing("a value for \(word)")
                }
                values[parts[0]] = value
            }
        }

        mutating func take(_ name: String) -> String? {
            values.removeValue(forKey: name)
        }

        /// What devices are to call the server.
        mutating func takeAuthority() throws(ConfigurationError) -> String? {
            guard let text = take("--authority") else { return nil }
            guard let authority = Authority(text), authority.port > 0 else {
                throw .notAuthority(text)
            }
            return text
        }

        mutating func required(_ name: String) throws(ConfigurationError) -> String {
            guard let value = take(name), !value.isEmpty else { throw .missing(name) }
            return value
        }
    }
}

/// Why the arguments cannot be understood.
enum ConfigurationError: Error, Equatable {
    /// No word at all.
    case noCommand
    /// A word or an option that does not belong here.
    case unknownWord(String)
    /// Something that must be given.
    case missing(String)
    /// A name with nothing to see, with too many bytes, or with control characters.
    case badName(Int)
    /// Two options that contradict each other.
    case notTogether(String, String)
    /// Plain HTTP at an address that is not this machine's own, without a proxy.
    case plainElsewhere(String)
    /// An operators' listener that others can reach.
    case healthElsewhere(String)
    /// Not `host:port`.
    case notAuthority(String)
    /// Not the id of a space.
    case notSpace(String)
    /// Not an IP address.
    case badProxy(String)
    /// A reserve that is no number of MiB.
    case badReserve(String)
}
