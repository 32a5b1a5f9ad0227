import Foundation
import Testing

@testable import SyncCore

/// The worked example of `docs/PROTOCOL.md` is what this code makes, byte for byte.
@Suite struct ProtocolExampleTests {
    private let space = Identifier(number: 0x5ace_0000_0000_0000_0000_0000_0000_0001)
    private let device = Identifier(number: 0xde01_0000_0000_0000_0000_0000_0000_0002)
    private let replica = Identifier(number: 0x4e91_0000_0000_0000_0000_0000_0000_0003)
    private let track = Identifier(number: 0x74ac_0000_0000_0000_0000_0000_0000_0004)

    /// The blocks of hexadecimal digits of the page by the heading word that follows three ticks.
    private func blocks() throws -> [String: String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "docs/PROTOCOL.md"),
            encoding: .utf8
        )
        var blocks: [String: String] = [:]
        for part in page.components(separatedBy: "```hex ").dropFirst() {
            let lines = part.components(separatedBy: "```")[0].split(separator: "\n")
            let digits = lines.dropFirst().map { $0.prefix { $0 != ";" } }.joined()
            blocks[String(lines[0])] = digits.filter { !$0.isWhitespace }
        }
        return blocks
    }

    @Test func `the example is what sealing makes`() throws {
        let seal = Seal(
            space: space,
            device: device,
            replica: replica,
            sequence: 1,
            previous: .zero,
            seen: .nothing
        )
        let time: UInt64 = 1_777_000_000_000 << 16
        let change = Change(
            key: Key("track", .id(track), "name"),
            cell: Cell(
                stamp: Stamp(time: time, replica: replica),
                value: .text("Evening sail")
            )
        )
        let spaceKeys = SpaceKeys(space: space, secrets: [1: secret(0x53)])
        let deviceKeys = DeviceKeys(device: device, secrets: [1: secret(0x44)])
        let sealed = try seal([change], space: spaceKeys, device: deviceKeys)
        let blocks = try blocks()
        let upload = try Upload(parsing: sealed.upload)
        let macs = try #require(upload.macs)
        #expect(blocks["space-mac-key"] == spaceKeys.macSecret(epoch: 1)?.bytes.hexadecimal)
        #expect(blocks["device-mac-key"] == deviceKeys.macSecret(epoch: 1)?.bytes.hexadecimal)
        #expect(blocks["body"] == sealed.body.hexadecimal)
        #expect(blocks["header"] == macs.inner.payload.hexadecimal)
        #expect(blocks["sealed-set"] == macs.outer.payload.hexadecimal)
        #expect(blocks["upload"] == sealed.upload.hexadecimal)
        #expect(blocks["hash"] == sealed.hash.bytes.hexadecimal)
        let opened = try ChangeSet(opening: upload, body: sealed.body, with: spaceKeys)
        #expect(opened.changes == [change])
        let link = LogChain.link(after: .zero, upload.name, .accepted)
        #expect(blocks["log-link"] == link.bytes.hexadecimal)
        #expect(blocks["fingerprint"] == change.digest.bytes.hexadecimal)
    }

    private func secret(_ byte: UInt8) -> Secret {
        Secret(bytes: [UInt8](repeating: byte, count: 32))
    }
}
