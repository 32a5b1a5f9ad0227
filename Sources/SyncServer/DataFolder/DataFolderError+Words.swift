internal import Glibc
internal import ProgramKit

extension DataFolderError: DescribedError {
    var words: (message: String, hint: String?) {
        switch self {
        case .notWritable(let path, let code):
            (
                "cannot write \(path): \(SystemReason.text(code))",
                code == ENOSPC
                    ? "make room; what is stored is safe"
                    : "see what --data names, who owns it, and whether it may be written"
            )
        case .notReadable(let path, let code):
            (
                "cannot read \(path): \(SystemReason.text(code))",
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
            ("\(path) is not there or is empty, but a server ran here", UserError.wayBack)
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
}
