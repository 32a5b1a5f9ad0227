import Judging
import SyncCore

/// Good vectors that were made a little wrong: flips, insertions, truncations and splices.
struct Mutants {
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// The field of each kind that is changed; a body is judged apart from its MACs, so that its
    /// own rules decide.
    private static let fields = [
        "value": "input", "header": "input", "body": "input", "upload": "input",
        "chunk": "input", "log-entry": "input", "push-item": "input", "fingerprint": "cell",
        "link": "text", "request": "header",
    ]
    private static let textKinds: Set = ["link", "request"]
    /// Longer ones take a program in Python too long.
    private static let byteLimit = 4096

    /// So many mutants, of each kind as many as of any other.
    mutating func make(count: Int) throws -> [Vector] {
        let good = try Vector.all().filter(\.isGood).map(\.withoutVerdict)
        let kinds = Dictionary(grouping: good, by: \.kind)
            .filter { Self.fields[$0.key] != nil }.sorted { $0.key < $1.key }.map(\.value)
        var mutants: [Vector] = []
        while mutants.count < count {
            for vectors in kinds {
                guard let vector = vectors.randomElement(using: &random),
                    let other = vectors.randomElement(using: &random)
                else { continue }
                if let mutant = try mutant(of: vector, other, number: mutants.count) {
                    mutants.append(mutant)
                }
            }
        }
        return mutants
    }

    private mutating func mutant(
        of vector: Vector,
        _ other: Vector,
        number: Int
    ) throws -> Vector? {
        let name = "\(number) of \(vector.name)"
        let field = Self.fields[vector.kind]
        let places = vector.fields.indices.filter { vector.fields[$0].name == field }
        guard let field, let index = places.randomElement(using: &random) else { return nil }
        if Self.textKinds.contains(vector.kind) {
            let text = asciiMutant(of: Array(vector.fields[index].text.utf8))
            return vector.replacing(index, with: text, name: name)
        }
        let bytes = try vector.bytes(at: index)
        guard bytes.count <= Self.byteLimit else { return nil }
        let donor = try (other.allBytes(field).first ?? []).prefix(Self.byteLimit)
        return vector.replacing(
            index,
            with: byteMutant(of: bytes, Array(donor)),
            name: name
        )
    }

    /// One to three changes.
    private mutating func byteMutant(of bytes: [UInt8], _ donor: [UInt8]) -> [UInt8] {
        var mutant = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...mutant.count, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0 where place < mutant.count:
                mutant[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1 where place < mutant.count:
                mutant[place] = UInt8.random(in: 0...255, using: &random)
            case 2 where place < mutant.count: mutant.remove(at: place)
            case 3: mutant.insert(UInt8.random(in: 0...255, using: &random), at: place)
            case 4: mutant.removeSubrange(place...)
            // What may be the head of an item, in a longer form.
            case 5 where place < mutant.count && mutant[place] & 31 < 24:
                mutant.insert(mutant[place] & 31, at: place + 1)
                mutant[place] = mutant[place] & 0xe0 | 24
            default:
                let start = Int.random(in: 0...donor.count, using: &random)
                let length = Int.random(in: 0...16, using: &random)
                let end = min(place + length, mutant.count)
                mutant.replaceSubrange(
                    place..<end,
                    with: donor[start..<min(start + length, donor.count)]
                )
            }
        }
        return mutant
    }

    /// One change that leaves printable characters only.
    private mutating func asciiMutant(of text: [UInt8]) -> String {
        var mutant = text
        let place = Int.random(in: 0..<mutant.count, using: &random)
        let character = UInt8.random(in: 0x21...0x7e, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: mutant[place] = character
        case 1: mutant.insert(character, at: place)
        case 2: mutant.remove(at: place)
        default: mutant.insert(mutant[place], at: place)
        }
        return String(decoding: mutant, as: UTF8.self)
    }
}
