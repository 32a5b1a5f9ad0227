internal import SyncCore

/// An error in words, for the person who started the server.
struct Complaint {
    let message: String
    let hint: String?

    init(_ error: any Error) {
        (message, hint) = Self.words(error)
    }

    private static func words(_ error: any Error) -> (String, String?) {
        switch error {
        case let error as ConfigurationError: words(error)
        case let error as DataFolderError: words(error)
        case let error as ListenerError: words(error)
        case let error as TLSError: words(error)
        case let error as DatabaseError:
            (
                "cannot use the store: \(error.message)",
                error.kind == .corrupt
                    ? "put a backup of store.db back; devices send what it lacks" : nil
            )
        case MigrationError.newer(let version, let known):
            (
                "the store has version \(version), this program knows versions up to \(known)",
                "run the newer wake-server"
            )
        default: ("\(error)", nil)
        }
    }

    private static func words(_ error: ConfigurationError) -> (String, String?) {
        let hint = "see 'wake-server --help'"
        return switch error {
        case .noCommand: ("a command is missing", hint)
        case .unknownWord(let word): ("'\(word)' is not understood", hint)
        case .missing(let what): ("\(what) is missing", hint)
        case .badName(let count): ("a name has 1 to 200 bytes, not \(count)", hint)
        case .notTogether(let one, let other): ("\(one) and \(other) exclude each other", hint)
        case .plainElsewhere(let address):
            (
                "plain HTTP may not be spoken at \(address), which others can reach",
                "leave --plain out for TLS; or, behind a proxy that speaks TLS, give --proxy with "
                    + "the proxy's IP address"
            )
        case .healthElsewhere(let address):
            (
                "the operators' listener may not be at \(address), which others can reach",
                "give --health 127.0.0.1:PORT, and a proxy or tunnel for operators elsewhere"
            )
        case .notAuthority(let text): ("'\(text)' is not host:port", hint)
        case .badProxy(let text):
            ("--proxy takes the IP address of the one proxy that may connect, not '\(text)'", hint)
        }
    }

    private static func words(_ error: DataFolderError) -> (String, String?) {
        switch error {
        case .notWritable(let path, let reason): ("cannot write \(path): \(reason)", nil)
        case .noKey(let path):
            (
                "\(path) is not there, but the store is",
                "put the file back from where the store came: without it no device is known"
            )
        case .damagedKey(let path):
            (
                "\(path) is not a key of 64 hexadecimal digits",
                "put the right file back: without it no device is known"
            )
        case .noTLSKey(let path):
            (
                "\(path) is not there, but its certificate is",
                "put the file back: links and devices know this key; or remove tls.crt too, and "
                    + "every device needs a new link"
            )
        case .inUse(let path):
            ("another server runs on \(path)", "stop it, or give another --data")
        }
    }

    private static func words(_ error: ListenerError) -> (String, String?) {
        switch error {
        case .notAnAddress(let text): ("'\(text)' is not host:port", nil)
        case .notBound(let address, let code):
            (
                "cannot listen on \(address): "
                    + (code.map { "errno \($0)" } ?? "the name is not known"),
                "another program may use the port; port 0 takes a free one"
            )
        }
    }
}
