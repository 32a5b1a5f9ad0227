@testable import SyncCore
import Harness
import Testing

/// The codec rules at the head of `wire-format.cddl`.
@Suite struct ValueTests {
    /// Examples of RFC 8949, appendix A, that the rules allow.
    @Test(
        arguments: [
            ("00", .integer(0)), ("01", .integer(1)), ("0a", .integer(10)), ("17", .integer(23)),
            ("1818", .integer(24)), ("1819", .integer(25)), ("1864", .integer(100)),
            ("1903e8", .integer(1000)), ("1a000f4240", .integer(1_000_000)),
            ("1b000000e8d4a51000", .integer(1_000_000_000_000)), ("20", .integer(-1)),
            ("29", .integer(-10)), ("3863", .integer(-100)), ("3903e7", .integer(-1000)),
            ("f90000", .float(0)), ("f98000", .float(-0.0)), ("f93c00", .float(1)),
            ("fb3ff199999999999a", .float(1.1)), ("f93e00", .float(1.5)), ("f97bff", .float(65504)),
            ("fa47c35000", .float(100_000)), ("fa7f7fffff", .float(3.4028234663852886e+38)),
            ("fb7e37e43c8800759c", .float(1.0e+300)), ("f90001", .float(5.960464477539063e-8)),
            ("f90400", .float(0.00006103515625)), ("f9c400", .float(-4)),
            ("fbc010666666666666", .float(-4.1)), ("f4", .bool(false)), ("f5", .bool(true)),
            ("f6", .null), ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])),
            ("60", .text("")), ("6161", .text("a")), ("6449455446", .text("IETF")),
            ("62225c", .text("\"\\")), ("62c3bc", .text("\u{fc}")), ("63e6b0b4", .text("\u{6c34}")),
            ("64f0908591", .text("\u{10151}")), ("80", .list([])),
            ("83010203", .list([1, 2, 3].map(Value.integer))),
            (
                "8301820203820405",
                .list([
                    .integer(1), .list([.integer(2), .integer(3)]),
                    .list([.integer(4), .integer(5)]),
                ])
            ),
            ("a0", .map([:])),
            (
                "a26161016162820203",
                .map(["a": .integer(1), "b": .list([.integer(2), .integer(3)])])
            ),
            ("826161a161626163", .list([.text("a"), .map(["b": .text("c")])])),
            ("1b7fffffffffffffff", .integer(.max)), ("3b7fffffffffffffff", .integer(.min)),
        ] as [(String, Value)]
    )
    func `examples of RFC 8949 are read and written`(hexadecimal: String, value: Value) throws {
        let bytes = try #require([UInt8](hexadecimal: hexadecimal))
        #expect(try Value(decoding: bytes) == value)
        #expect(value.encoded == bytes)
    }

    @Test(
        arguments: [
            // Not shortest: integers, lengths, floats.
            ("1800", .notShortest(offset: 0)), ("1817", .notShortest(offset: 0)),
            ("1900ff", .notShortest(offset: 0)), ("1a0000ffff", .notShortest(offset: 0)),
            ("1b00000000ffffffff", .notShortest(offset: 0)), ("3817", .notShortest(offset: 0)),
            ("580161", .notShortest(offset: 0)), ("780161", .notShortest(offset: 0)),
            ("980100", .notShortest(offset: 0)), ("b80100", .notShortest(offset: 0)),
            ("fa3fc00000", .notShortest(offset: 0)),
            ("fb3ff8000000000000", .notShortest(offset: 0)),
            ("fb40f86a0000000000", .notShortest(offset: 0)),
            ("fa80000000", .notShortest(offset: 0)),
            ("fb8000000000000000", .notShortest(offset: 0)),
            ("fa33800000", .notShortest(offset: 0)),
            // Not finite.
            ("f97c00", .notFinite(offset: 0)), ("f9fc00", .notFinite(offset: 0)),
            ("f97e00", .notFinite(offset: 0)), ("f97c01", .notFinite(offset: 0)),
            ("fa7f800000", .notFinite(offset: 0)), ("fa7fc00000", .notFinite(offset: 0)),
            ("fb7ff0000000000000", .notFinite(offset: 0)),
            ("fb7ff8000000000000", .notFinite(offset: 0)),
            // Beyond Int64.
            ("1b8000000000000000", .tooLarge(offset: 0)),
            ("1bffffffffffffffff", .tooLarge(offset: 0)),
            ("3b8000000000000000", .tooLarge(offset: 0)),
            // Indefinite lengths and the break.
            ("5f41ff", .unexpected(offset: 0)), ("7f6161ff", .unexpected(offset: 0)),
            ("9fff", .unexpected(offset: 0)), ("bfff", .unexpected(offset: 0)),
            ("ff", .unexpected(offset: 0)),
            // Reserved heads, tags, other simple values, undefined.
            ("1c", .unexpected(offset: 0)), ("1d", .unexpected(offset: 0)),
            ("1e", .unexpected(offset: 0)), ("c000", .unexpected(offset: 0)),
            ("d100", .unexpected(offset: 0)), ("f7", .unexpected(offset: 0)),
            ("e0", .unexpected(offset: 0)), ("f3", .unexpected(offset: 0)),
            ("f8ff", .unexpected(offset: 0)), ("f818", .unexpected(offset: 0)),
            // Keys: twice, out of order (a shorter one comes first), not text.
            ("a2616101616102", .keysNotAscending(offset: 4)),
            ("a2616201616102", .keysNotAscending(offset: 4)),
            ("a262616101616202", .keysNotAscending(offset: 5)), ("a10000", .unexpected(offset: 1)),
            // Text that is no UTF-8: a lone byte, overlong, a surrogate, beyond Unicode.
            ("61ff", .invalidText(offset: 0)), ("62c080", .invalidText(offset: 0)),
            ("63eda080", .invalidText(offset: 0)), ("64f4908080", .invalidText(offset: 0)),
            // Too little, too much.
            ("", .truncated(offset: 0)), ("18", .truncated(offset: 1)),
            ("19ff", .truncated(offset: 1)),
            ("42ff", .truncated(offset: 1)), ("81", .truncated(offset: 0)),
            ("a16161", .truncated(offset: 3)), ("fb00", .truncated(offset: 1)),
            ("0000", .trailingBytes(offset: 1)), ("8000", .trailingBytes(offset: 1)),
        ] as [(String, CBORError)]
    )
    func `what the rules forbid is refused`(hexadecimal: String, error: CBORError) throws {
        let bytes = try #require([UInt8](hexadecimal: hexadecimal))
        #expect(throws: error) { try Value(decoding: bytes) }
    }

    @Test(arguments: ["9b", "bb", "5b", "7b"])
    func `a giant length is refused before anything is allocated`(head: String) throws {
        for length in ["ffffffffffffffff", "7fffffffffffffff", "1000000000000000"] {
            let bytes = try #require([UInt8](hexadecimal: head + length + "00"))
            #expect(throws: CBORError.self) { try Value(decoding: bytes) }
        }
    }

    @Test func `values nest 16 levels and no more`() throws {
        func nested(_ depth: Int) -> [UInt8] { [UInt8](repeating: 0x81, count: depth) + [0] }
        #expect(try Value(decoding: nested(16)).encoded == nested(16))
        #expect(throws: CBORError.tooDeep(offset: 16)) { try Value(decoding: nested(17)) }
        #expect(throws: CBORError.self) {
            try Value(decoding: [UInt8](repeating: 0x81, count: 100_000))
        }
        #expect(throws: CBORError.self) {
            try Value(decoding: Array(repeating: [0xa1, 0x60], count: 100_000).joined())
        }
    }

    @Test func `keys that differ in normalisation only are two keys`() throws {
        let map = Value.map(["\u{e9}": .integer(1), "e\u{301}": .integer(2)])
        #expect(map.map?.count == 2)
        #expect(map.encoded.hexadecimal == "a262c3a90163" + "65cc8102")
        #expect(try Value(decoding: map.encoded).encoded == map.encoded)
    }

    @Test(arguments: Rounds.seeds(50))
    func `any value comes back as it was`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let value = RandomValues.any(depth: 8, using: &random)
        let decoded = try Value(decoding: value.encoded)
        #expect(decoded == value)
        // Equality holds -0.0 and 0.0 for one; the bytes do not.
        #expect(decoded.encoded == value.encoded)
    }

    @Test(arguments: Rounds.seeds(50))
    func `whatever is read is written as the same bytes`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let bytes = RandomValues.any(using: &random).encoded
        var accepted = 0
        for _ in 0..<200 {
            let mutant = Mutation.mutant(of: bytes, using: &random)
            guard let value = try? Value(decoding: mutant) else { continue }
            accepted += 1
            #expect(value.encoded == mutant, "\(mutant.hexadecimal)")
        }
        #expect(accepted < 200)
    }

    @Test(arguments: Rounds.seeds(20))
    func `noise that is read is written as the same bytes`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<1000 {
            let count = Int.random(in: 1...12, using: &random)
            let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            guard let value = try? Value(decoding: noise) else { continue }
            #expect(value.encoded == noise)
        }
    }

    @Test func `a slice is read as its own bytes are`() throws {
        let padded = [0xff, 0xff] + Value.list([.text("a"), .null]).encoded + [0xff]
        #expect(try Value(decoding: padded[2..<6]) == .list([.text("a"), .null]))
        #expect(throws: CBORError.truncated(offset: 0)) { try Value(decoding: padded[2..<4]) }
    }

    /// What a read of a value comes to: where it ends, or the error.
    private func outcome(
        of bytes: [UInt8],
        _ read: (inout CBORDecoder) throws(CBORError) -> Void
    ) -> Result<Int, CBORError> {
        var decoder = CBORDecoder(bytes)
        do {
            try read(&decoder)
            return .success(decoder.offset)
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: Rounds.seeds(20))
    func `a value that is skipped is checked like one that is read`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var accepted = 0
        for _ in 0..<300 {
            let encoded = RandomValues.any(using: &random).encoded
            let mutant = Mutation.mutant(of: encoded, using: &random)
            for bytes in [encoded, mutant, encoded + mutant] {
                let read = outcome(of: bytes) { (decoder) throws(CBORError) in
                    _ = try decoder.value()
                }
                let skipped = outcome(of: bytes) { (decoder) throws(CBORError) in
                    _ = try decoder.encodedValue()
                }
                #expect(read == skipped, "\(bytes.hexadecimal)")
                if case .success = read { accepted += 1 }
            }
        }
        #expect((600..<900).contains(accepted), "mutants are accepted and refused")
    }

    @Test(arguments: ["81", "a160"])
    func `a value that is skipped nests as deep as one that is read`(level: String) throws {
        let level = try #require([UInt8](hexadecimal: level))
        for depth in 0...17 {
            let bytes = Array(repeatElement(level, count: depth).joined()) + [0xf6]
            let read = outcome(of: bytes) { (decoder) throws(CBORError) in
                _ = try decoder.value()
            }
            let skipped = outcome(of: bytes) { (decoder) throws(CBORError) in
                _ = try decoder.encodedValue()
            }
            #expect(read == skipped)
            let below = outcome(of: bytes) { (decoder) throws(CBORError) in
                _ = try decoder.encodedValue(below: 3)
            }
            #expect((below == .success(bytes.count)) == (depth <= 13))
        }
    }
}
