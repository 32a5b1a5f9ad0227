@testable import SyncCore
import Harness
import Testing

@Suite struct TextTests {
    @Test func `two spellings of one letter are two texts`() {
        #expect(Text("\u{e9}") != Text("e\u{301}"))
        #expect(Set([Text("\u{e9}"), Text("e\u{301}")]).count == 2)
    }

    @Test func `a shorter text comes first`() {
        let sorted: [Text] = ["", "b", "z", "aa", "ab", "\u{e9}a"]
        #expect(sorted.shuffled().sorted() == sorted)
        #expect(sorted.map { Value.text($0).encoded.hexadecimal }.sorted().count == sorted.count)
    }

    @Test(arguments: Rounds.seeds(20))
    func `texts and rows are in the order of their encodings`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let rows = (0..<40).map { _ -> Row in
            let text = String(repeating: "ab", count: Int.random(in: 0...14, using: &random))
            return Bool.random(using: &random)
                ? .id(.random(using: &random)) : .text(Text(text + "\(seed)"))
        }
        for (left, right) in zip(rows, rows.dropFirst()) {
            #expect((left < right) == left.encoded.lexicographicallyPrecedes(right.encoded))
        }
    }

    @Test func `bytes that are no UTF-8 are no text`() {
        #expect(Text(utf8: [0x61, 0xff]) == nil)
        #expect(Text(utf8: [0xc0, 0x80]) == nil)
        #expect(Text(utf8: [0x61, 0x00, 0x62])?.utf8 == [0x61, 0x00, 0x62])
    }
}
