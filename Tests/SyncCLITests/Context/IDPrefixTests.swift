import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

@Suite struct IDPrefixTests {
    private static let ids = [0x0123_4567, 0x0123_4568, 0x7fff_0000].map {
        Identifier(number: UInt128($0) << 96)
    }

    private func pick(_ word: String) throws -> Identifier {
        try IDPrefix(word).pick(
            from: Self.ids,
            what: "track",
            plural: "tracks",
            list: "wake tracks list",
            id: { $0 },
            name: { _ in nil }
        )
    }

    @Test func `a prefix is read as leniently as Crockford says`() throws {
        let text = Self.ids[2].description
        #expect(try pick(text) == Self.ids[2])
        #expect(try pick(String(text.prefix(4)).uppercased()) == Self.ids[2])
        let lookalike = text.map { $0 == "0" ? "O" : $0 == "1" ? "I" : $0 }
        #expect(try pick(String(lookalike)) == Self.ids[2])
    }

    @Test func `a prefix of several names them all`() {
        let word = String(Self.ids[0].description.prefix(4))
        let userError = #expect(throws: UserError.self) { try pick(word) }
        #expect(userError?.code == .attention)
        for id in IDPrefix.short([Self.ids[0], Self.ids[1]]) {
            #expect(userError?.message.contains(id) == true)
        }
    }

    @Test(arguments: [
        ("", ExitCode.usage), ("abc", .usage), ("zzzz", .notFound), ("é/é/", .notFound),
    ])
    func `what names nothing says why`(word: String, code: ExitCode) {
        let userError = #expect(throws: UserError.self) { try pick(word) }
        #expect(userError?.code == code)
    }

    @Test func `ids in a table differ`() {
        #expect(Set(IDPrefix.short(Self.ids)).count == 3)
        #expect(IDPrefix.short([Self.ids[0], Self.ids[0]]).allSatisfy { $0.count == 8 })
    }
}
