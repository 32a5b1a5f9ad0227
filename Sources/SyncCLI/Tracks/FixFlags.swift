import SyncCore

/// What the filter found in a track's fixes.
struct FixFlags: Sendable {
    /// The samples without the fixes that are flagged.
    let believed: [Sample]
    private let counts: [FixFlag: Int]
    private let isOff: Bool

    /// Judges all of a track's samples.
    init(of samples: [Sample], by rule: FixRule) {
        var filter = FixFilter(rule)
        var flagged: Set<Int> = []
        var counts: [FixFlag: Int] = [:]
        func take() {
            while let judged = filter.next() {
                guard let flag = judged.flag else { continue }
                counts[flag, default: 0] += 1
                flagged.insert(judged.index)
            }
        }
        for sample in samples {
            filter.add(sample)
            take()
        }
        filter.end()
        take()
        self.counts = counts
        isOff = rule == .off
        var index = -1
        believed = samples.filter { sample in
            guard sample.isPoint else { return true }
            index += 1
            return !flagged.contains(index)
        }
    }

    /// A line for a person; nil where there is nothing to tell.
    var words: String? {
        guard !isOff else { return "not looked for: the filter of this track is off" }
        let parts = FixFlag.allCases.compactMap { flag in
            counts[flag].map { "\($0) \(flag.rawValue)" }
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ") + "; kept, but not counted"
    }

    /// How many of each kind; null where they are not looked for.
    var json: JSON {
        isOff
            ? .null
            : .object(FixFlag.allCases.map { ($0.rawValue, .integer(counts[$0] ?? 0)) })
    }
}
