import ProgramKit
internal import Glibc

/// A failed system call on a file.
struct FileError: Error, Hashable {
    enum Action: String, Sendable {
        case read
        case write
        case make = "create"
    }

    let action: Action
    let path: String
    /// The value of `errno`.
    let code: Int32

    /// Returns the error of the last system call.
    static func last(_ action: Action, _ path: String) -> FileError {
        FileError(action: action, path: path, code: errno)
    }

    /// Returns the error for a file whose name is not UTF-8, as every string here must be.
    static func unnameable(_ path: String) -> FileError {
        FileError(action: .read, path: path, code: ENOENT)
    }

    /// The system's reason, in lower case.
    var reason: String {
        guard !isDevice else { return "it is a device, not a file" }
        guard !isUnnameable else { return "its name is not UTF-8" }
        return SystemReason.text(code)
    }

    /// Whether the file or its folder does not exist.
    var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    /// Whether the name is not UTF-8, so that the file cannot be opened by a string.
    var isUnnameable: Bool { isMissing && path.contains("\u{FFFD}") }

    /// Whether the path is a device, which may be endless.
    var isDevice: Bool { code == ENODEV }

    /// Whether a file exists already where a new one is to be created.
    var isTaken: Bool { code == EEXIST }
}

extension FileError: DescribedError {
    var exitCode: ExitCode { isMissing && action == .read ? .notFound : .failure }

    var words: (message: String, hint: String?) {
        ("cannot \(action.rawValue) \(path): \(reason)", hint)
    }

    private var hint: String? {
        switch action {
        case .write where isMissing: "create its folder first"
        case .write where isTaken: "use --force to overwrite it"
        case .write, .make: hintForWriting
        case .read where isDevice:
            "'wake record --nmea' reads from a device, and '-' is standard input"
        case .read where isUnnameable: "pass it as standard input: 'wake import - < FILE'"
        case .read: nil
        }
    }

    private var hintForWriting: String? {
        switch code {
        case ENOSPC, EDQUOT: "free disk space and run the command again"
        case EROFS, EACCES, EPERM: "check the owner and permissions of the folder"
        default: nil
        }
    }
}
