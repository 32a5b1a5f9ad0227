import Judging
import SyncCore
import Testing

/// What is signed is refused once any byte of it is another.
@Suite struct FlippedByteTests {
    /// The fields that a signature covers, by kind.
    private static let signed = [
        "upload": ["input", "body"],
        "receipt": ["input", "hash", "space", "replica"],
        "wrapped-key": ["input", "space"],
    ]
    private static let requestFields = ["method", "path", "query", "authority", "header"]

    private static func good(_ kinds: some Collection<String>) -> [Vector] {
        ((try? Vector.all()) ?? []).filter { $0.isGood && kinds.contains($0.kind) }
    }

    /// Every place of a short field; of a long one, its ends and seeded places between.
    private static func places(in count: Int, using random: inout SplitMix64) -> [Int] {
        guard count > 2000 else { return Array(0..<count) }
        let between = (0..<200).map { _ in Int.random(in: 200..<(count - 200), using: &random) }
        return Array(0..<200) + between + Array((count - 200)..<count)
    }

    @Test(arguments: good(signed.keys))
    func `a flipped byte anywhere in a signed object is refused`(vector: Vector) throws {
        var random = SplitMix64(seed: UInt64(vector.name.utf8.count))
        for (index, field) in vector.fields.enumerated() {
            guard Self.signed[vector.kind, default: []].contains(field.name) else { continue }
            let bytes = try vector.bytes(field.name)
            for place in Self.places(in: bytes.count, using: &random) {
                for mask in [0xff, UInt8.random(in: 1...0xfe, using: &random)] {
                    var flipped = bytes
                    flipped[place] ^= mask
                    let other = vector.replacing(index, with: flipped.hexadecimal)
                    let verdict = try Judge.judge(other).verdict
                    #expect(verdict != "ok", "\(field.name) at \(place) with \(mask)")
                }
            }
        }
    }

    /// The lowest bit, so that what was ASCII still is, and no letter only changes its case.
    @Test(arguments: good(["request"]))
    func `a flipped bit in any signed part of a request is refused`(vector: Vector) throws {
        for (index, field) in vector.fields.enumerated() where isSigned(field) {
            let bytes = Array(field.text.utf8)
            for place in bytes.indices {
                var flipped = bytes
                flipped[place] ^= 1
                let text = String(decoding: flipped, as: UTF8.self)
                let verdict = try Judge.judge(vector.replacing(index, with: text)).verdict
                #expect(verdict != "ok", "\(field.name) at \(place): \(text)")
            }
        }
    }

    private func isSigned(_ field: Vector.Field) -> Bool {
        let ofSignature = ["content-digest: ", "signature-input: ", "signature: "]
        return Self.requestFields.contains(field.name)
            && (field.name != "header" || ofSignature.contains { field.text.hasPrefix($0) })
    }
}
