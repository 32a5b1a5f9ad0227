import ProgramKit

@testable import SyncServer

extension Request where Context == ServerContext {
    /// The arguments of a command of the server.
    static func arguments(_ words: [String]) throws -> Arguments {
        guard case .run(_, let arguments) = try Request(words, of: WakeServer.program) else {
            throw UsageError.unknownCommand(words, nearest: nil)
        }
        return arguments
    }
}
