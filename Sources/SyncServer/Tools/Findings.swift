/// The faults that an inspection found; of each kind the first ten are described.
struct Findings: Equatable, Sendable {
    enum Check: String, CaseIterable, Sendable {
        /// SQLite's own check of the file.
        case structure
        /// Positions without gaps, the links of each hash chain, and each space's recorded head.
        case chains
        /// The server's MAC over each entry.
        case receipts
        /// The device's MAC over each set, and the hash of its body.
        case seals
        /// The order of each replica's sets, and its recorded head.
        case heads
        /// The tables that mirror each space's control chain.
        case members
        case chunks
    }

    private var told: [Check: [String]] = [:]
    private var counts: [Check: Int] = [:]

    private static let toldLimit = 10

    var isEmpty: Bool { counts.isEmpty }

    /// The descriptions of all faults, check by check.
    var words: [String] { Check.allCases.flatMap(words) }

    /// Returns the descriptions of one check's faults, and the number of those left out.
    func words(_ check: Check) -> [String] {
        let lines = told[check] ?? []
        let others = (counts[check] ?? 0) - lines.count
        return lines + (others > 0 ? ["and \(others) more"] : [])
    }

    mutating func note(_ check: Check, _ text: String) {
        counts[check, default: 0] += 1
        if told[check, default: []].count < Self.toldLimit { told[check, default: []].append(text) }
    }

    mutating func merge(_ others: Findings) {
        for (check, count) in others.counts {
            counts[check, default: 0] += count
            let lines = told[check, default: []] + (others.told[check] ?? [])
            told[check] = Array(lines.prefix(Self.toldLimit))
        }
    }
}
