import ProgramKit

/// Two blocks of text beside each other.
struct SideBySide: Sendable {
    let left: String
    let right: String

    /// What stands between the blocks.
    var gap = "   "

    /// Draws both, the left one padded to its widest line.
    ///
    /// Within `columns` each block gets half.
    func text(columns: Int? = nil) -> String {
        let limit = columns.map { ($0 - gap.displayWidth) / 2 }
        let left = Self.lines(of: left, limit: limit)
        let right = Self.lines(of: right, limit: limit)
        let width = left.map(\.displayWidth).max() ?? 0
        return (0..<max(left.count, right.count)).map { index in
            let start = index < left.count ? left[index] : ""
            guard index < right.count, !right[index].isEmpty else { return start + "\n" }
            return start.padded(to: width) + gap + right[index] + "\n"
        }.joined()
    }

    private static func lines(of text: String, limit: Int?) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return limit.map { limit in lines.map { $0.shortened(to: limit) } } ?? lines
    }
}
