import ProgramKit
import SyncCore

/// The counts of the fixes that the filter flagged.
struct FixFlags: Sendable {
    private let counts: [FixFlag: Int]
    private let isOff: Bool

    init(_ counts: [FixFlag: Int], by rule: FixRule) {
        self.counts = counts
        isOff = rule == .off
    }

    /// A line of text, or nil if nothing was flagged.
    var words: String? {
        guard !isOff else { return "not checked: the filter of this track is off" }
        let parts = FixFlag.allCases.compactMap { flag in
            counts[flag].map { "\($0) \(flag.rawValue)" }
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ") + "; kept, but not counted"
    }

    /// The counts by flag, or null if the filter is off.
    var json: JSON {
        isOff
            ? .null
            : .object(FixFlag.allCases.map { ($0.rawValue, .integer(counts[$0] ?? 0)) })
    }
}
