internal import Glibc
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
        case let error as BackupError: words(error)
        case let error as DatabaseError: words(error)
        case StoreError.notFound:
            (
                "this server has no space of that id",
                "'wake-server invite NAME' lets the device in: what it has comes along"
            )
        case MigrationError.newer(let version, let known):
            (
                "the store has version \(version), this program knows versions up to \(known)",
                "run the newer wake-server"
            )
        case MigrationError.foreign:
            (
                "store.db is a database of another program, or store.db-wal is",
                "give another --data, or move store.db-wal aside; nothing was touched"
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
        case .badReserve(let text): ("--reserve '\(text)' is no number of MiB", hint)
        case .badName(let count):
            ("a name has 1 to 200 bytes and no line breaks; this one has \(count) bytes", hint)
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
        case .notSpace(let text):
            (
                "'\(text)' is not the id of a space",
                "give it whole, as 'wake join --again' tells it on the device that is kept out"
            )
        case .badProxy(let text):
            ("--proxy takes the IP address of the one proxy that may connect, not '\(text)'", hint)
        }
    }

    private static func words(_ error: DataFolderError) -> (String, String?) {
        switch error {
        case .notWritable(let path, let code):
            (
                "cannot write \(path): \(reason(code))",
                code == ENOSPC
                    ? "make room; what is stored is safe"
                    : "see what --data names, who owns it, and whether it may be written"
            )
        case .notReadable(let path, let code):
            (
                "cannot read \(path): \(reason(code))",
                "see who owns it and whether it may be read; what it says must not be forgotten"
            )
        case .noStore(let path):
            (
                "no server ever ran on \(path): there is no store.db",
                "see whether --data is right; 'wake-server serve' makes a store"
            )
        case .noKey(let path):
            (
                "\(path) is not there, but the store is",
                "put the file back from where the store came: without it no device is known"
            )
        case .noKeyYet(let path):
            (
                "\(path) is not there, and no backup has it",
                "put master.key and tls.key into the folder first, from where you keep them; if "
                    + "they are lost, 'wake-server serve' on a new folder makes new "
                    + "ones, and every device joins again"
            )
        case .lostStore(let path):
            ("\(path) is not there or is empty, but a server ran here", wayBack)
        case .damagedKey(let path):
            (
                "\(path) is not a key of 64 hexadecimal digits",
                "put the right file back: without it no device is known"
            )
        case .noAddress(let path):
            (
                "no server listened with \(path) yet, so a link would not know where",
                "start 'wake-server serve' first"
            )
        case .noTLSKey(let path):
            (
                "\(path) is not there, but its certificate is",
                "put the file back: links and devices know this key; or remove tls.crt too, and "
                    + "every device needs a new link"
            )
        case .inUse(let path):
            ("another server runs on \(path)", "stop it, or give another --data")
        case .stillStarting(let path):
            (
                "the server at \(path) is still starting",
                "run the command again once it listens"
            )
        }
    }

    /// How a server whose store is of no use any more gets another one.
    static let wayBack = Restore.advice

    private static func words(_ error: ListenerError) -> (String, String?) {
        switch error {
        case .notAnAddress(let text): ("'\(text)' is not host:port", nil)
        case .notBound(let address, let code):
            (
                "cannot listen on \(address): "
                    + (code.map(reason) ?? "the name of the host is not known"),
                hint(forBinding: code)
            )
        }
    }

    private static func hint(forBinding code: Int32?) -> String {
        switch code {
        case EADDRINUSE:
            "another program has the port: stop it, or give another; 0 takes a free one"
        case EACCES: "ports below 1024 are the system's: give a higher one, or let a proxy have it"
        case EADDRNOTAVAIL: "this machine has no such address; 0.0.0.0 and [::] are all it has"
        case nil: "give an address, or a name that this machine can look up"
        default: "see the address and the port"
        }
    }

    private static func words(_ error: DatabaseError) -> (String, String?) {
        switch error.kind {
        case .corrupt:
            (
                "store.db is damaged: \(error.message)",
                "'wake-server doctor' tells what is wrong; " + wayBack
            )
        case .full:
            ("the disk is full, so store.db cannot be opened", "make room; what is stored is safe")
        case .readOnly, .cannotOpen:
            (
                "cannot open store.db for writing: \(error.message)",
                "see who owns the folder and whether it may be written"
            )
        case .failing:
            (
                "the disk answered with an error, so nothing more is stored: \(error.message)",
                "see the system's log; what was acknowledged before is in store.db and store.db-wal"
            )
        case .busy:
            ("store.db is locked by another program", "stop that, and start the server again")
        case .other: ("cannot use store.db: \(error.message)", nil)
        }
    }

    /// The system's words, in lower case as all our messages.
    static func reason(_ code: Int32) -> String {
        let text = unsafe String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
