/// What is wrong in a store, by what was recomputed; of many faults alike the first few are told.
struct Findings: Equatable, Sendable {
    /// Something that is recomputed.
    enum Check: String, CaseIterable, Sendable {
        /// SQLite's own check of the file.
        case structure
        /// Positions without gaps, each link of each chain, and the space's own head.
        case chains
        /// The server's MAC of each entry.
        case receipts
        /// The device's MAC of each set, and the hash of its body.
        case seals
        /// The sets of a replica one after the other, and its head.
        case heads
        /// The hash of each chunk.
        case chunks
    }

    private var told: [Check: [String]] = [:]
    private var counts: [Check: Int] = [:]

    private static let toldLimit = 10

    var isEmpty: Bool { counts.isEmpty }

    /// All that is told, check by check.
    var words: [String] { Check.allCases.flatMap(words) }

    /// What is told of one check, with how many there are beside that.
    func words(_ check: Check) -> [String] {
        let lines = told[check] ?? []
        let others = (counts[check] ?? 0) - lines.count
        return lines + (others > 0 ? ["and \(others) more"] : [])
    }

    mutating func note(_ check: Check, _ text: String) {
        counts[check, default: 0] += 1
        if told[check, default: []].count < Self.toldLimit {
            told[check, default: []].append(text)
        }
    }

    mutating func merge(_ others: Findings) {
        for (check, count) in others.counts {
            counts[check, default: 0] += count
            let lines = told[check, default: []] + (others.told[check] ?? [])
            told[check] = Array(lines.prefix(Self.toldLimit))
        }
    }
}
