@testable import SyncCore

/// Values for properties: nested, with the extremes now and then.
enum RandomValues {
    /// Any value that nests at most `depth` levels.
    static func any(depth: Int = 4, using random: inout SplitMix64) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: .null
        case 1: .bool(.random(using: &random))
        case 2: .integer(integer(using: &random))
        case 3: .float(float(using: &random))
        case 4: .text(text(using: &random))
        case 5: .bytes(bytes(using: &random))
        case 6:
            .list((0..<count(using: &random)).map { _ in any(depth: depth - 1, using: &random) })
        default:
            .map(
                Dictionary(
                    (0..<count(using: &random)).map { _ in
                        (text(using: &random), any(depth: depth - 1, using: &random))
                    }
                ) { $1 }
            )
        }
    }

    private static func integer(using random: inout SplitMix64) -> Int64 {
        let edges: [Int64] = [
            0, 23, 24, 255, 256, 65535, 65536, 0xffff_ffff, 0x1_0000_0000, .max, .min, -1, -24,
            -25, -256, -257,
        ]
        return Bool.random(using: &random)
            ? edges.randomElement(using: &random) ?? 0
            : Int64.random(in: .min ... .max, using: &random)
                >> Int64.random(in: 0..<64, using: &random)
    }

    private static func float(using random: inout SplitMix64) -> Double {
        let bits: UInt64 = random.next()
        let number =
            switch bits % 4 {
            case 0: Double(bitPattern: bits)
            case 1: Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits >> 8)))
            case 2: HalfFloat(bits: UInt16(truncatingIfNeeded: bits >> 8)).double
            default: Double(Int64(truncatingIfNeeded: bits) >> 50) / 4
            }
        return number.isFinite ? number : -0.0
    }

    private static func text(using random: inout SplitMix64) -> Text {
        let letters = ["a", "b", "é", "e\u{301}", "漢", "\u{1f6f6}", "\0", ""]
        return Text(
            (0..<count(using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }
                .joined()
        )
    }

    private static func bytes(using random: inout SplitMix64) -> [UInt8] {
        let count = Int.random(in: 0...(random.next() % 20 == 0 ? 300 : 20), using: &random)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private static func count(using random: inout SplitMix64) -> Int {
        Int.random(in: 0...(random.next() % 10 == 0 ? 30 : 4), using: &random)
    }
}
