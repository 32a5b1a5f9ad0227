@testable import SyncCore

/// Bytes that are a little wrong.
enum Mutation {
    /// `bytes` with one to three flips, cuts, doublings or insertions.
    static func mutant(of bytes: [UInt8], using random: inout SplitMix64) -> [UInt8] {
        var mutant = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard !mutant.isEmpty else { break }
            let index = Int.random(in: 0..<mutant.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: mutant[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: mutant[index] = UInt8.random(in: 0...255, using: &random)
            case 2: mutant.remove(at: index)
            case 3: mutant.insert(UInt8.random(in: 0...255, using: &random), at: index)
            default:
                let end = min(index + Int.random(in: 1...8, using: &random), mutant.count)
                mutant.insert(contentsOf: mutant[index..<end], at: index)
            }
        }
        return mutant
    }
}
