/// What the program ends with.
enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    case failure = 1
    case usage = 2
    case missing = 3
    case exists = 4

    init(_ error: any Error) {
        self =
            switch error {
            case is ConfigurationError: .usage
            case BackupError.missing: .missing
            case BackupError.exists: .exists
            default: .failure
            }
    }

    /// The code in the words of the help.
    var meaning: String {
        switch self {
        case .success: "done"
        case .failure: "it failed, or was interrupted, or 'doctor' found trouble"
        case .usage: "the command line was not understood"
        case .missing: "there is no FILE to restore"
        case .exists: "the FILE of a backup is there already"
        }
    }
}
