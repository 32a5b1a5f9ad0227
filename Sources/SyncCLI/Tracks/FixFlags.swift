import ProgramKit
import SyncCore

/// What the filter found in a track's fixes.
struct FixFlags: Sendable {
    private let counts: [FixFlag: Int]
    private let isOff: Bool

    /// So many of each kind were found by a rule.
    init(_ counts: [FixFlag: Int], by rule: FixRule) {
        self.counts = counts
        isOff = rule == .off
    }

    /// A line for a person; nil where there is nothing to tell.
    var words: String? {
        guard !isOff else { return "not checked: the filter of this track is off" }
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
