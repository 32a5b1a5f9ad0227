import Testing

@testable import SyncCore

/// The messages of `/v1/sync`: what is written is read, and nothing else is.
@Suite struct SyncMessageTests {
    private let request = SyncRequest(spaces: [
        SyncRequest.SpaceRequest(
            space: Identifier(number: 1),
            replica: Identifier(number: 2),
            cursor: LogPosition(epoch: Identifier(number: 3), position: 4),
            items: [[1, 2, 3], []],
            byteLimit: 1000
        ),
        SyncRequest.SpaceRequest(
            space: Identifier(number: 5),
            replica: Identifier(number: 2),
            cursor: .none,
            items: [],
            byteLimit: nil
        ),
    ])

    private var reply: SyncReply {
        var good = SyncReply.SpaceReply(space: Identifier(number: 1))
        good.results = [
            .judged(position: 9, .refused, reason: "clock"),
            .failed(problem: "sequence-gap", sequence: 3),
        ]
        let signer = SigningKey(seed: Secret(bytes: [UInt8](repeating: 1, count: 32)))
        good.held = NamedHead(
            head: ReplicaHead(sequence: 8, hash: Digest(of: [8])),
            signature: signer.sign([1]),
            controls: 3
        )
        good.page = Page(
            epoch: Identifier(number: 3),
            entries: [[1], [2, 3]],
            position: 10,
            chain: Digest(of: [10]),
            head: 12,
            fingerprint: Fingerprint(bytes: [UInt8](repeating: 5, count: 32)),
            controls: 4,
            past: Self.past([2, 1])
        )
        let bad = SyncReply.SpaceReply(space: Identifier(number: 5), problem: "not-found")
        return SyncReply(time: UnixTime(milliseconds: 1_777_000_000_000), spaces: [good, bad])
    }

    private static func past(_ epochs: [UInt128]) -> [LogEnding] {
        epochs.map {
            LogEnding(
                position: LogPosition(epoch: Identifier(number: $0), position: 7),
                chain: Digest(of: [7])
            )
        }
    }

    @Test func `a reply names at most 64 earlier logs, each once`() throws {
        for (epochs, isGood) in [
            (Array(1...64), true), (Array(1...65), false), ([1, 2, 1], false),
        ] as [([UInt128], Bool)] {
            var reply = reply
            reply.spaces[0].page?.past = Self.past(epochs)
            let decoded = try? SyncReply(decoding: reply.encoded)
            #expect((decoded == reply) == isGood)
        }
    }

    @Test func `messages come back as they were written`() throws {
        #expect(try SyncRequest(decoding: request.encoded) == request)
        #expect(try SyncReply(decoding: reply.encoded) == reply)
    }

    @Test func `a message cut anywhere is refused`() {
        for bytes in [request.encoded, reply.encoded] {
            for count in bytes.indices {
                let part = Array(bytes[..<count])
                #expect(throws: CBORError.self) { try SyncRequest(decoding: part) }
                #expect(throws: CBORError.self) { try SyncReply(decoding: part) }
            }
        }
    }

    @Test(arguments: [-1, 1 << 46, .max, .min] as [Int64])
    func `a server whose clock is out of all range is not believed`(time: Int64) {
        var reply = reply
        reply.time = UnixTime(milliseconds: time)
        let bytes = reply.encoded
        #expect(throws: CBORError.self) { try SyncReply(decoding: bytes) }
    }

    /// Hexadecimal digits, in which `id` and `hash` stand for those of zeros.
    private static func message(_ hexadecimal: String) throws -> [UInt8] {
        let id = "50" + String(repeating: "00", count: 16)
        let hash = "5820" + String(repeating: "00", count: 32)
        let digits = hexadecimal.replacing("id", with: id).replacing("hash", with: hash)
        return try #require([UInt8](hexadecimal: digits.filter { $0 != " " }))
    }

    @Test(arguments: [
        "a0", "a1 01 81 a3 00 id 01 id 02 id", "a1 01 81 a5 00 id 01 id 02 id 03 00 04 80",
    ])
    func `a request has all its parts, and none that is empty`(hexadecimal: String) throws {
        let bytes = try Self.message(hexadecimal)
        #expect(throws: CBORError.self) { try SyncRequest(decoding: bytes) }
    }

    @Test(arguments: [
        "a1 00 00", "a2 00 00 01 81 a2 00 id 02 80", "a2 00 00 01 81 a3 00 id 04 id 06 03",
        "a2 00 00 01 81 a5 00 id 04 id 06 03 07 hash 08 03", "a2 00 00 01 81 a2 00 id 05 80",
        "a2 00 00 01 81 a2 00 id 09 hash",
    ])
    func `a reply has whole pages, and no empty results`(hexadecimal: String) throws {
        let bytes = try Self.message(hexadecimal)
        #expect(throws: CBORError.self) { try SyncReply(decoding: bytes) }
    }

    @Test func `keys of a later version are read over`() throws {
        var encoder = CBOREncoder()
        encoder.map(2)
        encoder.unsigned(1)
        encoder.array(0)
        encoder.unsigned(99)
        encoder.text("later")
        #expect(try SyncRequest(decoding: encoder.bytes) == SyncRequest(spaces: []))
    }
}
