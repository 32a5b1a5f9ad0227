import Harness
import Judging
import SyncCore
import Testing

/// What is signed is refused once any byte of it is another.
@Suite struct FlippedByteTests {
    /// The fields that a signature covers, by kind.
    private static let signed = [
        "upload": ["input", "body"],
        "receipt": ["input", "hash", "space", "replica"],
        "control-set": ["input", "body", "key"],
        "control-chain": ["item"],
        "card": ["input"],
        "vouch": ["input", "key"],
        "user-proof": ["input"],
        "head": ["input", "key", "space", "device", "replica", "hash", "control"],
        "enrol-proof": ["input", "signer", "key"],
        "wrap": ["input", "space", "agreement"],
        "earlier": ["input", "space", "secret"],
    ]
    private static let requestFields = ["method", "path", "query", "authority", "header"]

    private static func good(_ kinds: some Collection<String>) -> [Vector] {
        ((try? Vector.all()) ?? []).filter { $0.isGood && kinds.contains($0.kind) }
    }

    /// Of a short field every eighth place from a seeded one on, and at night every one; of a long
    /// field its ends and seeded places between.
    private static func places(in count: Int, using random: inout SplitMix64) -> [Int] {
        guard count > 4096 else {
            let offset = Int.random(in: 0..<8, using: &random)
            return Rounds.sample(Array(0..<count), every: 8, from: offset)
        }
        let between = (0..<20).map { _ in Int.random(in: 0..<count, using: &random) }
        return Array(0..<20) + between + Array((count - 20)..<count)
    }

    /// `vector` with its signed fields as bytes, and where these are.
    private static func prepared(_ vector: Vector) throws -> (vector: Vector, fields: [Int]) {
        let names = signed[vector.kind, default: []]
        let vector = vector.withoutVerdict
        let fields = vector.fields.indices.filter { names.contains(vector.fields[$0].name) }
        return try fields.reduce(into: (vector, fields)) {
            $0.0 = $0.0.replacing($1, with: try vector.bytes(at: $1))
        }
    }

    @Test(arguments: good(signed.keys))
    func `a flipped byte anywhere in a signed object is refused`(vector: Vector) throws {
        let (vector, fields) = try Self.prepared(vector)
        var random = SplitMix64(seed: 1)
        for field in fields {
            let bytes = try vector.bytes(at: field)
            let accepted = try Self.places(in: bytes.count, using: &random).filter { place in
                var flipped = bytes
                flipped[place] ^= 0xff
                return try Judge.judge(vector.replacing(field, with: flipped)).verdict == "ok"
            }
            #expect(accepted == [], "\(vector.fields[field].name)")
        }
    }

    /// The lowest bit, so that what was ASCII still is, and no letter only changes its case.
    @Test(arguments: good(["request"]))
    func `a flipped bit in any signed part of a request is refused`(vector: Vector) throws {
        var random = SplitMix64(seed: 1)
        for (index, field) in vector.fields.enumerated() where isSigned(field) {
            let bytes = Array(field.text.utf8)
            let offset = Int.random(in: 0..<4, using: &random)
            let places = Rounds.sample(Array(bytes.indices), every: 4, from: offset)
            let accepted = try places.filter { place in
                var flipped = bytes
                flipped[place] ^= 1
                let text = String(decoding: flipped, as: UTF8.self)
                return try Judge.judge(vector.replacing(index, with: text)).verdict == "ok"
            }
            #expect(accepted == [], "\(field.text)")
        }
    }

    private func isSigned(_ field: Vector.Field) -> Bool {
        let ofSignature = ["content-digest: ", "signature-input: ", "signature: "]
        return Self.requestFields.contains(field.name)
            && (field.name != "header" || ofSignature.contains { field.text.hasPrefix($0) })
    }
}
