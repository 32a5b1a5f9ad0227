import Testing

@testable import SyncCore

/// Links as people paste them.
@Suite struct LinkTests {
    private let secret = "0123456789abcdefghjkmnpqrs"

    @Test(arguments: ["127.0.0.1:8300", "wake.example:443", "[::1]:8300"])
    func `a link comes back as it was printed`(authority: String) throws {
        let text = "wake://\(authority)/#\(secret)"
        let link = try #require(Link(text))
        #expect(link.authority == authority)
        #expect(link.description == text)
        #expect(Link("wake://\(authority)/#\(secret.uppercased())") == link)
    }

    @Test(
        arguments: [
            "", "wake://", "wake://h:1/#", "http://h:1/#0123456789abcdefghjkmnpqrs",
            "wake://h/#0123456789abcdefghjkmnpqrs", "wake://h:0/#0123456789abcdefghjkmnpqrs",
            "wake://h:99999/#0123456789abcdefghjkmnpqrs", "wake://h:1/#0123456789abcdefghjkmnpqr",
            "wake://h:1/#z123456789abcdefghjkmnpqrs", "wake://a b:1/#0123456789abcdefghjkmnpqrs",
            "wake://u@h:1/#0123456789abcdefghjkmnpqrs", "wake://:1/#0123456789abcdefghjkmnpqrs",
            "wake://h:1/x#0123456789abcdefghjkmnpqrs", "wake://h:+1/#0123456789abcdefghjkmnpqrs",
        ]
    )
    func `anything else is no link`(text: String) {
        #expect(Link(text) == nil)
    }

    @Test(
        arguments: [
            " \(bare) ", "'\(bare)'", "\"\(bare)\"", "\u{201E}\(bare)\u{201C}", "<\(bare)>",
            "\(bare)\r\n", "(\(bare)).", "\u{200B}\(bare)\u{FEFF}", "\u{A0}\(bare),",
            "wake://h:1/#0123456789abc\r\ndefghjkmnpqrs",
            "wake://h:1/#0123456789abc\u{AD}defghjkmnpqrs",
        ]
    )
    func `what a mail puts around a link is no part of it`(text: String) {
        #expect(Link(text)?.description == Self.bare)
    }

    private static let bare = "wake://h:1/#0123456789abcdefghjkmnpqrs"

    @Test(
        arguments: [
            "\(bare)\(String(repeating: " ", count: 2000))", "\(bare)\0", "\(bare)/", "\(bare)?x",
            "\(bare)x", String(repeating: "wake://", count: 100_000),
        ]
    )
    func `what else is added to a link makes it none`(text: String) {
        #expect(Link(text) == nil)
    }

    @Test func `token and wrap key tell nothing of each other`() throws {
        let link = try #require(Link("wake://h:1/#\(secret)"))
        #expect(link.secret.token.count == 32)
        #expect(link.secret.token != link.secret.wrapKey.bytes)
        var generator = SplitMix64(seed: 1)
        let wrapped = link.secret.wrapKey.wrap([1, 2, 3], for: [9], using: &generator)
        #expect(link.secret.wrapKey.unwrap(wrapped, for: [9]) == [1, 2, 3])
        #expect(link.secret.wrapKey.unwrap(wrapped, for: [8]) == nil)
    }
}
