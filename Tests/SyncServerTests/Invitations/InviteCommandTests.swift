import ProgramKit
import SyncCore
import Testing

@testable import SyncServer

@Suite struct InviteCommandTests {
    private func name(_ words: String...) throws -> String {
        try InviteCommand.name(Request.arguments(["invite"] + words))
    }

    @Test func `a link is for a new person with a name`() throws {
        #expect(try name("Ann") == "Ann")
        #expect(throws: UsageError.missing("NAME", command: "invite")) { try name() }
        for bad in ["", "  ", "a\u{7}", String(repeating: "x", count: 201)] {
            #expect(throws: ConfigurationError.self) { try name(bad) }
        }
    }
}
