internal import ProgramKit
internal import SyncCore

/// Messages for errors that end a command.
extension UserError {
    /// Describes any error to the operator.
    init(describing error: any Error) {
        switch error {
        case let error as UserError: self = error
        case let error as any DescribedError: self = error.userError
        case let error as DatabaseError: self.init(error, of: .server, wayBack: Self.wayBackOfStore)
        case let error as MigrationError: self.init(error, of: .server)
        default: self = .failure("\(error)")
        }
    }

    /// How to replace a store that is beyond repair.
    static let wayBack =
        "'wake-server restore FILE' restores a backup and keeps the current store aside; without a "
        + "backup, 'wake-server restore --empty' creates an empty store; devices send what it lacks"

    private static let wayBackOfStore =
        "'wake-server doctor' shows what is wrong; " + wayBack
}
