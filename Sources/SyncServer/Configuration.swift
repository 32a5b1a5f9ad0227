/// What the server was asked to do, read from its arguments.
enum Configuration: Equatable {
    /// Answer requests until a signal.
    case serve(Serve)
    /// Print a link that lets a new person's first device in.
    case invite(name: String, data: String, authority: String?)
    /// Explain.
    case help
    /// Print the version.
    case version

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
        /// Room on the disk that is held back for small writes, in MiB.
        var reserveMebibytes: Int64 = 64

        /// Whether only programs on this machine can connect.
        var isLoopback: Bool {
            let host = listen[..<(listen.lastIndex(of: ":") ?? listen.endIndex)]
            return host.hasPrefix("127.") || host == "localhost" || host == "[::1]"
        }
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
        default: throw .unknownWord(verb)
        }
    }

    private static func serve(_ words: ArraySlice<String>) throws(ConfigurationError) -> Self {
        var options = try Options(
            words,
            names: ["--data", "--listen", "--health", "--authority", "--reserve"]
        )
        guard options.words.isEmpty else { throw .unknownWord(options.words[0]) }
        var serve = Serve(data: try options.required("--data"))
        serve.listen = options.take("--listen") ?? serve.listen
        serve.health = options.take("--health") ?? defaultHealth(besides: serve.listen)
        if serve.health == "none" { serve.health = nil }
        serve.authority = options.take("--authority")
        if let text = options.take("--reserve") { serve.reserveMebibytes = try reserve(text) }
        return .serve(serve)
    }

    private static func reserve(_ text: String) throws(ConfigurationError) -> Int64 {
        guard let count = Int64(text), (0...reserveLimit).contains(count) else {
            throw .badReserve(text)
        }
        return count
    }

    private static let reserveLimit: Int64 = 1 << 20

    private static func invite(_ words: ArraySlice<String>) throws(ConfigurationError) -> Self {
        var options = try Options(words, names: ["--data", "--authority"])
        guard options.words.count == 1, let name = options.words.first else {
            throw options.words.isEmpty ? .missing("NAME") : .unknownWord(options.words[1])
        }
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard (1...nameByteLimit).contains(name.utf8.count), isPlain,
            !name.allSatisfy(\.isWhitespace)
        else { throw .badName(name.utf8.count) }
        return .invite(
            name: name,
            data: try options.required("--data"),
            authority: options.take("--authority")
        )
    }

    /// A person's name as the operator knows it.
    private static let nameByteLimit = 200

    /// The port above that of the devices, on loopback.
    private static func defaultHealth(besides listen: String) -> String {
        let port = listen.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        return "127.0.0.1:\(port == 0 || port == .max ? 0 : port + 1)"
    }

    /// Words and `--name value` or `--name=value` pairs.
    private struct Options {
        var words: [String] = []
        var values: [String: String] = [:]

        init(_ input: ArraySlice<String>, names: [String]) throws(ConfigurationError) {
            var input = input
            while let word = input.popFirst() {
                guard word.hasPrefix("--") else {
                    words.append(word)
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
    /// A reserve that is no number of MiB.
    case badReserve(String)
}
