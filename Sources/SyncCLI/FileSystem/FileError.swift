import ProgramKit
internal import Glibc

/// What the system answered about a file.
struct FileError: Error, Hashable {
    /// What was attempted.
    enum Action: String, Sendable {
        case read
        case write
        case make = "create"
    }

    let action: Action
    let path: String
    /// `errno`.
    let code: Int32

    /// The error of the last system call.
    static func last(_ action: Action, _ path: String) -> FileError {
        FileError(action: action, path: path, code: errno)
    }

    /// Of a file whose name is not UTF-8, which every text here is.
    static func unnameable(_ path: String) -> FileError {
        FileError(action: .read, path: path, code: ENOENT)
    }

    /// The system's words, in lower case as all our messages.
    var reason: String {
        guard !isDevice else { return "it is a device, not a file" }
        guard !isUnnameable else { return "its name is not UTF-8" }
        return SystemReason.text(code)
    }

    /// Whether the file, or its folder, does not exist.
    var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    /// Whether its name is not UTF-8, so that no text here leads to it.
    var isUnnameable: Bool { isMissing && path.contains("\u{FFFD}") }

    /// Whether a device stands where a file should be: it may have no end.
    var isDevice: Bool { code == ENODEV }

    /// Whether there is a file already where a new one should be.
    var isTaken: Bool { code == EEXIST }
}

extension FileError: DescribedError {
    var userError: UserError {
        UserError(
            isMissing && action == .read ? .notFound : .failure,
            "cannot \(action.rawValue) \(path): \(reason)",
            hint: hint
        )
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
