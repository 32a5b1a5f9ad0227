internal import ProgramKit
internal import SyncCore

/// The words for errors that end a command.
extension UserError {
    /// Puts any error into words for the person who runs the server.
    init(describing error: any Error) {
        switch error {
        case let error as UserError: self = error
        case let error as any DescribedError: self = error.userError
        case let error as DatabaseError: self.init(error, of: .server, wayBack: Self.wayBackOfStore)
        case let error as MigrationError: self.init(error, of: .server)
        default: self.init(.failure, "\(error)")
        }
    }

    /// How a server whose store is of no use any more gets another one.
    static let wayBack =
        "'wake-server restore FILE' restores a backup and keeps the current store aside; without a "
        + "backup, 'wake-server restore --empty' creates an empty store; devices send what it lacks"

    private static let wayBackOfStore =
        "'wake-server doctor' shows what is wrong; " + wayBack
}
