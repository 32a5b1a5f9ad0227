@testable import SyncCore
import Harness
import Testing

@Suite struct LogEntryTests {
    private let receipt = [UInt8](repeating: 9, count: 32)

    private var entries: [LogEntry] {
        [
            LogEntry(
                position: 1,
                body: [1],
                receipt: receipt,
                content: .set(upload: [2], .accepted)
            ),
            LogEntry(
                position: 1 << 40,
                body: nil,
                receipt: receipt,
                content: .set(upload: [], .refused)
            ),
            LogEntry(
                position: 2,
                body: nil,
                receipt: receipt,
                content: .set(upload: [2], .held),
                reason: "quota"
            ),
        ]
    }

    @Test func `entries come back as they were`() throws {
        for entry in entries {
            #expect(try LogEntry(decoding: entry.encoded[...]) == entry)
        }
    }

    @Test(arguments: Rounds.seeds(5))
    func `an entry that is read is written as the same bytes`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for entry in entries {
            for _ in 0..<200 {
                let mutant = Mutation.mutant(of: entry.encoded, using: &random)
                guard let read = try? LogEntry(decoding: mutant[...]) else { continue }
                // A reason whose key became one of the future is passed over.
                guard read.reason.isEmpty == entry.reason.isEmpty else { continue }
                #expect(read.encoded == mutant)
            }
        }
    }

    @Test func `push items come back as they were`() throws {
        for item in [
            PushItem(upload: [1], body: [2], chunks: [[3], []]), PushItem(upload: [], body: nil),
        ] {
            #expect(try PushItem(decoding: item.encoded[...]) == item)
        }
        for wrong in ["a0", "a10241ff", "a201410003" + "80", "a10041ff", "a1014100" + "00"] {
            let bytes = try #require([UInt8](hexadecimal: wrong))
            #expect(throws: CBORError.self) { try PushItem(decoding: bytes[...]) }
        }
    }

    @Test func `a link binds name, verdict and everything before`() {
        func link(
            _ sequence: UInt64 = 1,
            _ verdict: Verdict = .accepted,
            after previous: Digest = .zero
        ) -> Digest {
            let name = SetName(
                space: Sealing.space,
                replica: Sealing.replica,
                sequence: sequence,
                hash: Digest(of: [])
            )
            return LogChain.link(after: previous, name, verdict)
        }
        let links = [
            link(), link(2), link(1, .held), link(1, .refused), link(after: Digest(of: [])),
        ]
        #expect(Set(links).count == links.count)
        #expect(link() == link())
    }
}
