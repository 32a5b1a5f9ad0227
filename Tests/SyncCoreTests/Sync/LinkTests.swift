import Harness
import Testing

@testable import SyncCore

/// Links as people paste them.
@Suite struct LinkTests {
    private static let secret = "0123456789abcdefghjkmnpqrs"
    private static let key = "1g" + String(repeating: "0", count: 23) + "z7rs" + secret.dropFirst(3)

    private static let good = [
        "wake://127.0.0.1:8300/#\(secret)", "wake://localhost:1/#\(secret)",
        "wake://[::1]:65535/#\(secret)", "wake://wake.example:443/#\(secret).ca",
        "wake://127.0.0.1:8300/#\(secret).ca", "wake://192.0.2.1:8300/#\(secret).\(key)",
        "wake://[2001:db8::1]:8300/#\(secret).\(key)", "wake://[::1]:8300/#\(secret).\(key)",
    ]

    @Test(arguments: good)
    func `a link comes back as it was printed`(text: String) throws {
        let link = try #require(Link(text))
        #expect(link.description == text)
        #expect(link.secret.number.description == Self.secret)
        #expect(text.hasPrefix("wake://\(link.authority)/#"))
        #expect(Link(authority: link.authority, secret: link.secret, trust: link.trust) == link)
    }

    @Test(
        arguments: [
            "", "wake://", "wake://127.0.0.1:1/#", "http://127.0.0.1:1/#\(secret)",
            "wake://h/#\(secret).ca", "wake://h:0/#\(secret).ca", "wake://h:99999/#\(secret).ca",
            "wake://h:+80/#\(secret).ca", "wake://h:080/#\(secret).ca", "wake://h:1/#\(secret)0.ca",
            "wake://h:1/#\(secret.dropLast()).ca", "wake://h:1/#z\(secret.dropFirst()).ca",
            "wake://a b:1/#\(secret).ca", "wake://u@h:1/#\(secret).ca", "wake://:1/#\(secret).ca",
            "wake://h:1/x#\(secret).ca", "wake://h:1/#\(secret.uppercased()).ca",
            "wake://h:1/#\(secret).", "wake://h:1/#\(secret).CA", "wake://h:1/#\(secret).plain",
            "wake://h:1/#\(secret).\(key.dropLast())", "wake://h:1/#\(secret).\(key)0",
            "wake://h:1/#\(secret).\(key.uppercased())", "wake://h:1/#\(secret).\(key).ca",
            "wake://h:1/#\(secret).z\(key.dropFirst())", "wake://127.0.0.1:1/#\(secret).plain",
        ]
    )
    func `anything else is no link`(text: String) {
        #expect(Link(text) == nil)
    }

    @Test(
        arguments: [
            "wake.example", "192.0.2.1", "127.evil.example", "127.0.0.1.example", "127.0.0",
            "127.0.0.256", "127.0.0.01", "127.0.0.+1", "[::2]", "[::ffff:127.0.0.1]", "0.0.0.0",
            "localhost.example", "LOCALHOST",
        ]
    )
    func `without a key a link is good on this machine alone`(host: String) {
        #expect(Link("wake://\(host):8300/#\(Self.secret)") == nil)
        #expect(Link("wake://\(host):8300/#\(Self.secret).ca") != nil)
    }

    @Test(arguments: good)
    func `a link with one changed character is another or none`(text: String) throws {
        let link = try #require(Link(text))
        let bytes = Array(text.utf8)
        var random = SplitMix64(seed: 1)
        for index in bytes.indices {
            let offset = Int.random(in: 0..<5, using: &random)
            for other in Rounds.sample(Array(UInt8(0x20)...0x7e), every: 5, from: offset)
            where other != bytes[index] {
                var changed = bytes
                changed[index] = other
                let read = Link(String(decoding: changed, as: UTF8.self))
                #expect(read != link, "\(String(decoding: changed, as: UTF8.self))")
                if let read { #expect(Array(read.description.utf8) == changed) }
            }
            var shorter = bytes
            shorter.remove(at: index)
            #expect(Link(String(decoding: shorter, as: UTF8.self)) != link)
        }
    }

    @Test(
        arguments: [
            " \(bare) ", "'\(bare)'", "\"\(bare)\"", "\u{201E}\(bare)\u{201C}", "<\(bare)>",
            "\(bare)\r\n", "(\(bare)).", "\u{200B}\(bare)\u{FEFF}", "\u{A0}\(bare),",
            bare.replacing("c", with: "c\r\n"), bare.replacing("c", with: "c\u{AD}"),
            bare.replacing(".\(key)", with: "\n.\(key)"),
        ]
    )
    func `what a mail puts around a link is no part of it`(text: String) {
        #expect(Link(text)?.description == Self.bare)
    }

    private static let bare = "wake://h:1/#\(secret).\(key)"

    @Test(arguments: good)
    func `a link that lost its end is known as one, unless it is another`(text: String) {
        let scheme = "wake://"
        for count in scheme.count..<text.count {
            let start = String(text.prefix(count))
            #expect(Link.isCut(start) == (Link(start) == nil), "\(start)")
        }
        #expect(!Link.isCut(text))
    }

    @Test(
        arguments: [
            "", "wake:", "http://h", "wake://h/#", "wake://h:0/#", "wake://h:1/x", "\(bare)0",
            "wake://h:1/#\(secret).plain", "wake://h:1/#\(secret.uppercased())", "wake://a b",
            "wake://" + String(repeating: "h", count: 2000),
        ]
    )
    func `what never was a link did not lose its end`(text: String) {
        #expect(!Link.isCut(text))
    }

    @Test(
        arguments: [
            "\(bare)\(String(repeating: " ", count: 2000))", "\(bare)\0", "\(bare)/", "\(bare)?x",
            "\(bare)x", String(repeating: "wake://", count: 100_000),
        ]
    )
    func `what else is added to a link makes it none`(text: String) {
        #expect(Link(text) == nil)
    }

    @Test func `the keys of a link tell nothing of each other`() throws {
        let secret = try #require(Link(Self.good[0])).secret
        let derived = [
            secret.token, secret.keys.signing.seed.bytes, secret.keys.agreement.secret.bytes,
        ]
        #expect(Set(derived).count == 3 && derived.allSatisfy { $0.count == 32 })
    }

    @Test(arguments: ["wake://h:1/#", "wake://127.0.0.1:1/#"])
    func `a link of a device has the space and the anchor`(start: String) throws {
        let anchor = Link.Anchor(index: 7, hash: [UInt8](repeating: 9, count: 16))
        let link = Link(
            authority: String(start.dropFirst(7).dropLast(2)),
            secret: LinkSecret(Identifier(number: 5)),
            trust: start.contains("h:") ? .authorities : .plain,
            invitation: Link.Invitation(space: Identifier(number: 6), anchor: anchor)
        )
        #expect(Link(link.description) == link)
        for end in ["x", ".x", ".ca"] { #expect(Link(link.description + end) == nil) }
        let text = link.description
        for count in 1...58 where Link(String(text.dropLast(count))) != nil {
            Issue.record("\(count) characters less are a link, too")
        }
        // Without the space it is the link of a server; a full stop at the end does not count.
        for count in 59...60 {
            let server = try #require(Link(String(text.dropLast(count))))
            #expect(server.invitation == nil && server.secret == link.secret)
        }
        let location = ServerLocation(authority: link.authority, trust: link.trust)
        #expect(ServerLocation(text) == location)
        #expect(ServerLocation(location.description) == location)
        #expect(Link(location.description) == nil)
    }
}
