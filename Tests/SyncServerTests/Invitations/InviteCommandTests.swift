import ProgramKit
import SyncCore
import Testing

@testable import SyncServer

@Suite struct InviteCommandTests {
    private func guest(_ words: String...) throws -> InviteCommand.Guest {
        try InviteCommand.Guest(Request.arguments(["invite"] + words))
    }

    @Test func `a link is for a new person, or for the owner of a space`() throws {
        let space = Identifier(number: 7)
        #expect(try guest("--space", "\(space)") == .owner(of: space))
        #expect(try guest("Ann") == .new(name: "Ann"))
        #expect(throws: ConfigurationError.notSpace("7")) { try guest("--space", "7") }
        #expect(throws: UsageError.surplus("Ann", command: "invite")) {
            try guest("Ann", "--space", "\(space)")
        }
        #expect(throws: UsageError.missing("NAME", command: "invite")) { try guest() }
    }
}
