@testable import SyncCore
import Harness
import Testing

@Suite struct HeaderTests {
    private let header = Sealing.header(of: [1, 2, 3], cells: 1)

    @Test func `a header comes back as it was`() throws {
        var header = header
        header.sequence = 7
        header.previous = Digest(of: [1])
        header.chunks = [ChunkName(hash: Digest(of: [2]), byteCount: 500)]
        header.encoding = .zstandard
        header.isEncrypted = true
        header.critical = [12]
        #expect(try Header(decoding: header.encoded[...]) == header)
    }

    @Test func `each part is taken at its limit and refused one past it`() throws {
        func check(
            _ error: ChangeSetError,
            _ limit: Int,
            _ field: WritableKeyPath<Header, Int>
        ) throws {
            var header = header
            header[keyPath: field] = limit
            #expect(try Header(decoding: header.encoded[...]) == header)
            header[keyPath: field] = limit + 1
            #expect(throws: error) { try Header(decoding: header.encoded[...]) }
        }
        try check(.tooLarge(.body, byteCount: 1_048_577), 1_048_576, \.bodyByteCount)
        try check(.tooLarge(.decodedBody, byteCount: 1_048_577), 1_048_576, \.decodedByteCount)
        try check(.tooManyCells(32_769), 32_768, \.cellCount)
    }

    @Test(arguments: [[11, 0], [12, 0xf4]] as [[UInt8]])
    func `a default is left out of a header, never written`(field: [UInt8]) {
        let bytes = [0xab] + header.encoded.dropFirst() + field
        #expect(throws: ChangeSetError.encoding(.unexpected(offset: bytes.count - 1))) {
            try Header(decoding: bytes[...])
        }
    }

    @Test func `a header of 4 KiB is taken, and one byte more refused`() throws {
        func padded(to count: Int) -> [UInt8] {
            var encoder = CBOREncoder()
            // One key more than the ten required ones, with what is lacking as a byte string.
            let rest = Array(header.encoded.dropFirst())
            let padding = count - 1 - rest.count - 2 - 3
            encoder.unsigned(32)
            encoder.bytes([UInt8](repeating: 0, count: padding))
            return [0xab] + rest + encoder.bytes
        }
        #expect(padded(to: 4096).count == 4096)
        #expect(try Header(decoding: padded(to: 4096)[...]) == header)
        #expect(throws: ChangeSetError.tooLarge(.header, byteCount: 4097)) {
            try Header(decoding: padded(to: 4097)[...])
        }
    }

    @Test(arguments: 0..<10) func `none of the ten required fields may lack`(lacking: Int) throws {
        var decoder = CBORDecoder(header.encoded)
        var pairs: [[UInt8]] = []
        for _ in 0..<(try decoder.map()) {
            var encoder = CBOREncoder()
            encoder.unsigned(try decoder.unsigned())
            encoder.encoded(try decoder.encodedValue())
            pairs.append(encoder.bytes)
        }
        pairs.remove(at: lacking)
        #expect(throws: ChangeSetError.incomplete) {
            try Header(decoding: ([0xa9] + pairs.joined())[...])
        }
    }

    @Test(arguments: [14, 31] as [UInt64]) func `a key that has no meaning is refused`(
        key: UInt64
    ) {
        #expect(throws: ChangeSetError.self) { try Header(decoding: extended(by: key)[...]) }
    }

    @Test(arguments: [32, 33, 1 << 40] as [UInt64])
    func `V1 a key of the future is read over`(key: UInt64) throws {
        #expect(try Header(decoding: extended(by: key)[...]) == header)
    }

    private func extended(by key: UInt64) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.unsigned(key)
        encoder.value(.list([.text("anything"), .map(["a": .null])]))
        return [0xab] + header.encoded.dropFirst() + encoder.bytes
    }

    @Test func `a chain begins with sequence 1 after nothing`() {
        var header = header
        header.previous = Digest(of: [1])
        #expect(throws: ChangeSetError.incomplete) { try Header(decoding: header.encoded[...]) }
        header.sequence = 2
        #expect(throws: Never.self) { try Header(decoding: header.encoded[...]) }
        header.previous = .zero
        #expect(throws: ChangeSetError.incomplete) { try Header(decoding: header.encoded[...]) }
        header.sequence = 0
        #expect(throws: ChangeSetError.incomplete) { try Header(decoding: header.encoded[...]) }
    }

    @Test func `another format is told apart`() {
        // The first pair of the map is `0: 1`.
        var bytes = header.encoded
        bytes[2] = 2
        #expect(throws: ChangeSetError.unknownFormat(2)) { try Header(decoding: bytes[...]) }
    }

    @Test(arguments: Rounds.seeds(10))
    func `a header that is read is written as the same bytes, but for the future's keys`(
        seed: UInt64
    ) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let mutant = Mutation.mutant(of: header.encoded, using: &random)
            guard let header = try? Header(decoding: mutant[...]) else { continue }
            // Absent and explicit defaults mean the same.
            guard header.encoded.count == mutant.count else { continue }
            #expect(header.encoded == mutant)
        }
    }
}
