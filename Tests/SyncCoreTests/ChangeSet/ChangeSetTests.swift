@testable import SyncCore
import Harness
import Testing

@Suite struct ChangeSetTests {
    private let changes = [
        Sealing.change("name", .text("Sunday"), at: 100),
        Sealing.change("sport", .text("sailing"), at: 107),
    ]

    @Test func `what was sealed is opened through both doors`() throws {
        let sealed = try Sealing.sealed(changes)
        let upload = try Upload(parsing: sealed.upload)
        let read = try ChangeSet(opening: upload, body: sealed.body, with: Sealing.spaceKeys)
        let relayed = try ChangeSet(
            relaying: upload,
            body: sealed.body,
            from: Sealing.deviceKeys
        )
        #expect(read.changes == changes)
        #expect(relayed.changes == changes)
        #expect(upload.hash == sealed.hash)
        #expect(read.hash == sealed.hash)
        #expect(upload.header.stamps == 100...107)
        #expect(upload.header.cellCount == 2)
        #expect(upload.bytes == sealed.upload)
    }

    @Test(arguments: Rounds.seeds(8))
    func `random changes come back as they were`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var changes: [Key: Change] = [:]
        for _ in 0..<Int.random(in: 1...200, using: &random) {
            let row: Row =
                Bool.random(using: &random)
                ? .id(Identifier(number: UInt128(Int.random(in: 0...5, using: &random))))
                : .text(Text(String(repeating: "r", count: Int.random(in: 0...30, using: &random))))
            let key = Key(
                ["track", "é", "e\u{301}", ""].randomElement(using: &random) ?? "",
                row,
                Text("field\(Int.random(in: 0...20, using: &random))")
            )
            let stamp = Stamp(
                time: UInt64.random(in: 0..<Stamp.limit, using: &random),
                replica: Sealing.replica
            )
            let value = RandomValues.any(using: &random)
            changes[key] = Change(key: key, cell: Cell(stamp: stamp, value: value))
        }
        let sealed = try Sealing.sealed(changes.values.shuffled(using: &random))
        let upload = try Upload(parsing: sealed.upload)
        let set = try ChangeSet(opening: upload, body: sealed.body, with: Sealing.spaceKeys)
        #expect(set.changes == changes.values.sorted { $0.key < $1.key })
    }

    @Test func `the device's tag covers every bit of the upload`() throws {
        let sealed = try Sealing.sealed(changes)
        for bit in 0..<sealed.upload.count * 8 {
            var bytes = sealed.upload
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: ChangeSetError.self, "bit \(bit)") {
                let upload = try Upload(parsing: bytes)
                _ = try ChangeSet(relaying: upload, body: sealed.body, from: Sealing.deviceKeys)
            }
        }
    }

    @Test func `the members' tag covers every bit of the inner object`() throws {
        let sealed = try Sealing.sealed(changes)
        let upload = try Upload(parsing: sealed.upload)
        let deviceKey = try #require(Sealing.deviceKeys.macKey(epoch: 1))
        let inner = Array(try #require(upload.macs).outer.payload)
        for bit in 0..<inner.count * 8 {
            var bytes = inner
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            // The server and this device together cannot forge what a member wrote.
            let forged = Envelope.seal(bytes, with: deviceKey, epoch: 1, for: .device)
            #expect(throws: ChangeSetError.self, "bit \(bit)") {
                let upload = try Upload(parsing: forged)
                _ = try ChangeSet(opening: upload, body: sealed.body, with: Sealing.spaceKeys)
            }
        }
    }

    @Test func `the header's hash covers every bit of the body`() throws {
        for changes in [
            changes, [Sealing.change("name", .text(Text(String(repeating: "long", count: 99))))],
        ] {
            let sealed = try Sealing.sealed(changes)
            let upload = try Upload(parsing: sealed.upload)
            for bit in 0..<sealed.body.count * 8 {
                var body = sealed.body
                body[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(throws: ChangeSetError.wrongBody) {
                    try ChangeSet(opening: upload, body: body, with: Sealing.spaceKeys)
                }
            }
            for body in [[], sealed.body + [0], Array(sealed.body.dropLast())] {
                #expect(throws: ChangeSetError.wrongBody) {
                    try ChangeSet(relaying: upload, body: body, from: Sealing.deviceKeys)
                }
            }
        }
    }

    @Test func `a body of another length than its header says is refused`() throws {
        let body = Body.encode(changes, from: 100).bytes
        for count in [\.bodyByteCount, \.decodedByteCount] as [WritableKeyPath<Header, Int>] {
            var header = Sealing.header(of: body, cells: 2)
            header[keyPath: count] += 1
            let upload = try Upload(parsing: Sealing.upload(header: header.encoded))
            #expect(throws: ChangeSetError.wrongBody) {
                try ChangeSet(opening: upload, body: body, with: Sealing.spaceKeys)
            }
        }
    }

    @Test func `another key, epoch or purpose is refused`() throws {
        let sealed = try Sealing.sealed(changes)
        let upload = try Upload(parsing: sealed.upload)
        let other = Secret(bytes: [UInt8](repeating: 3, count: 32))
        #expect(throws: ChangeSetError.badMAC) {
            let keys = SpaceKeys(space: Sealing.space, secrets: [1: other])
            return try ChangeSet(opening: upload, body: sealed.body, with: keys)
        }
        #expect(throws: ChangeSetError.unknownKeyEpoch(1)) {
            let keys = SpaceKeys(space: Sealing.space, secrets: [2: other])
            return try ChangeSet(opening: upload, body: sealed.body, with: keys)
        }
        #expect(throws: ChangeSetError.badMAC) {
            let keys = DeviceKeys(device: Sealing.device, secrets: [1: other])
            return try ChangeSet(relaying: upload, body: sealed.body, from: keys)
        }
        #expect(throws: ChangeSetError.badMAC, "another space's key of the same secret") {
            let keys = SpaceKeys(
                space: Identifier(number: 1),
                secrets: Sealing.spaceKeys.secrets
            )
            return try ChangeSet(opening: upload, body: sealed.body, with: keys)
        }
    }

    @Test func `a tag that was made for one purpose does not pass for the other`() throws {
        let body = Body.encode(changes, from: 100).bytes
        let header = Sealing.header(of: body, cells: 2).encoded
        let spaceKey = try #require(Sealing.spaceKeys.macKey(epoch: 1))
        let deviceKey = try #require(Sealing.deviceKeys.macKey(epoch: 1))
        let inner = Envelope.seal(header, with: spaceKey, epoch: 1, for: .device)
        let outer = Envelope.seal(inner, with: deviceKey, epoch: 1, for: .space)
        let upload = try Upload(parsing: outer)
        #expect(throws: ChangeSetError.badMAC) {
            try ChangeSet(opening: upload, body: body, with: Sealing.spaceKeys)
        }
        #expect(throws: ChangeSetError.badMAC) {
            try ChangeSet(relaying: upload, body: body, from: Sealing.deviceKeys)
        }
    }

    @Test func `E4 a set that must be understood and is not is told apart`() throws {
        let body = Body.encode(changes, from: 100).bytes
        var header = Sealing.header(of: body, cells: 2)
        header.stamps = 100...107
        for key: UInt64 in [12, 15, 32, 99] {
            header.critical = [9, key]
            let upload = try Upload(parsing: Sealing.upload(header: header.encoded))
            #expect(throws: ChangeSetError.unknownCriticalKey(key)) {
                try ChangeSet(opening: upload, body: body, with: Sealing.spaceKeys)
            }
        }
        header.critical = [0, 11, 13, 14]
        let upload = try Upload(parsing: Sealing.upload(header: header.encoded))
        #expect(
            try ChangeSet(opening: upload, body: body, with: Sealing.spaceKeys).changes == changes
        )
        header.critical = []
        header.isEncrypted = true
        let encrypted = try Upload(parsing: Sealing.upload(header: header.encoded))
        #expect(throws: ChangeSetError.unknownCriticalKey(12)) {
            try ChangeSet(opening: encrypted, body: body, with: Sealing.spaceKeys)
        }
    }

    @Test(arguments: Rounds.seeds(10))
    func `no mutated upload stops the reader, nor passes for what a member wrote`(
        seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        let sealed = try Sealing.sealed(changes)
        for _ in 0..<100 {
            let bytes = Mutation.mutant(of: sealed.upload, using: &random)
            guard bytes != sealed.upload, let upload = try? Upload(parsing: bytes) else { continue }
            #expect(throws: ChangeSetError.self) {
                try ChangeSet(relaying: upload, body: sealed.body, from: Sealing.deviceKeys)
            }
        }
    }
}
