@testable import SyncCore
import Harness
import Testing

@Suite struct IdentifierTests {
    @Test(arguments: Rounds.seeds(50))
    func `text and bytes come back as they were`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let id = Identifier.random(using: &random)
        #expect(id.description.utf8.count == 26)
        #expect(Identifier(id.description) == id)
        #expect(Identifier(id.description.uppercased()) == id)
        #expect(Identifier(bytes: id.bytes) == id)
    }

    @Test(arguments: Rounds.seeds(50))
    func `numbers, bytes and texts are in one order`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let left = Identifier.random(using: &random)
        let right = Identifier.random(using: &random)
        #expect((left < right) == left.bytes.lexicographicallyPrecedes(right.bytes))
        #expect((left < right) == (left.description < right.description))
    }

    @Test func `the ends of the range are spelt as Crockford says`() {
        #expect(Identifier.zero.description == "00000000000000000000000000")
        #expect(Identifier(number: .max).description == "7zzzzzzzzzzzzzzzzzzzzzzzzz")
        #expect(Identifier(number: 32).description.hasSuffix("10"))
    }

    @Test func `letters that look like digits are those digits`() {
        let zeros = String(repeating: "0", count: 23)
        #expect(Identifier(zeros + "OIl") == Identifier(number: 0b00000_00001_00001))
        #expect(Identifier(zeros + "oiL") == Identifier(number: 0b00000_00001_00001))
    }

    @Test(arguments: [
        "", "0", "0000000000000000000000000", "000000000000000000000000000",
        "80000000000000000000000000", "0000000000000000000000000u",
        "0000000000000000000000000-", "0000000000000000000000000@",
        "000000000000000000000000é", "0000000000000000000000000`",
    ])
    func `other texts are no identifiers`(text: String) {
        #expect(Identifier(text) == nil)
    }

    @Test(arguments: [0, 15, 17, 32]) func `only sixteen bytes are one`(count: Int) {
        #expect(Identifier(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }
}
