@testable import SyncCore
import Harness
import Testing

@Suite struct DecimalTests {
    @Test(arguments: [
        ("0", 1, 0), ("1", 1, 10), ("-1.25", 1, -13), ("1.25", 1, 13), ("1.24", 1, 12),
        ("+5", 0, 5), (".5", 1, 5), ("5.", 1, 50), (" 7\n", 0, 7), ("1e3", 0, 1000),
        ("1.5E-1", 2, 15), ("0.000000000000000000001", 7, 0), ("1e-300", 7, 0),
        ("47.964920044", 7, 479_649_200), ("9223372036854775807", -1, 922_337_203_685_477_581),
        ("00000000000000000000001.5", 1, 15), ("-0.9000000000000000000", 0, -1),
        ("0.4999999999999999999", 0, 0), ("9223372036854775807", 0, .max), ("0e999", 7, 0),
    ])
    func `a number becomes counts, rounded half away from zero`(
        text: String,
        decimals: Int,
        count: Int64
    ) {
        #expect(Decimal(Array(text.utf8))?.count(decimals: decimals) == count)
    }

    @Test(arguments: [
        "", " ", "-", ".", "e5", "1e", "1e1000", "nan", "inf", "0x10", "1,5", "1 2", "--1", "1.2.3",
    ])
    func `anything else is no number`(text: String) {
        #expect(Decimal(Array(text.utf8)) == nil)
    }

    @Test(arguments: ["1e300", "1e18", "99999999999999999999"])
    func `a number beyond 64 bits has no count`(text: String) {
        #expect(Decimal(Array(text.utf8))?.count(decimals: 7) == nil)
    }

    @Test(arguments: Rounds.seeds(10))
    func `counts are written and read back`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for decimals in 0...7 {
            let count = Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &random)
            let text = Decimal.text(count, decimals: decimals)
            #expect(Decimal(Array(text.utf8))?.count(decimals: decimals) == count)
            #expect(Double(text) == Decimal(Array(text.utf8))?.value)
        }
        #expect(Decimal.text(.min, decimals: 1) == "-922337203685477580.8")
        #expect(Decimal.text(-5, decimals: 1) == "-0.5")
    }
}
