internal import Glibc
internal import ProgramKit

extension DataFolderError: DescribedError {
    var words: (message: String, hint: String?) {
        switch self {
        case .notWritable(let path, let code):
            (
                "cannot write \(path): \(SystemReason.text(code))",
                code == ENOSPC
                    ? "free disk space; stored data is safe"
                    : "check the folder of --data, its owner and its permissions"
            )
        case .notReadable(let path, let code):
            (
                "cannot read \(path): \(SystemReason.text(code))",
                "check its owner and permissions; the server must not run without its content"
            )
        case .noStore(let path):
            (
                "no server has run on \(path) yet: it contains no store.db",
                "check --data; 'wake-server serve' creates a store"
            )
        case .noKey(let path):
            (
                "\(path) is missing, but the store exists",
                "copy the file from where you keep it; " + Self.lostKey
            )
        case .noKeyYet(let path):
            (
                "\(path) is missing, and no backup contains it",
                "copy master.key and tls.key into the folder from where you keep them; "
                    + Self.lostKey
            )
        case .lostStore(let path):
            ("\(path) is missing or empty, but a server ran here before", UserError.wayBack)
        case .damagedKey(let path):
            (
                "\(path) is not a key of 64 hexadecimal digits",
                "restore the right file: without it the server knows no device"
            )
        case .notPrivate(let path):
            (
                "other users of this machine can read \(path)",
                "run: chmod 600 \(path); if one of them may have it, make a new key"
            )
        case .noAddress(let path):
            (
                "no server has listened on \(path) yet, so its address is unknown",
                "start 'wake-server serve' first"
            )
        case .noTLSKey(let path):
            (
                "\(path) is missing, but its certificate exists",
                "restore the file: links and devices trust this key; or delete tls.crt too, and then "
                    + "every device needs a new link"
            )
        case .notADevice(let path, let line, let text):
            (
                "line \(line) of \(path) is no device id, or is damaged: "
                    + "'\(String(text.prefix(40)).withoutControls)'",
                "write the 26 characters of each id, as 'wake devices list --json' shows them, one "
                    + "on each line; what follows an id is its sum, which you may leave out"
            )
        case .inUse(let path):
            ("another server is running on \(path)", "stop it, or use another --data DIR")
        case .stillStarting(let path):
            ("the server at \(path) is still starting", "run the command again once it listens")
        }
    }

    /// The way out for an operator who has lost the master key.
    private static let lostKey =
        "if it is lost, copy tls.key, tls.crt and revocations alone into a new folder and start 'wake-server "
        + "serve' on it; then one device of each person joins again with a link of 'wake-server invite', and "
        + "brings the data"
}
