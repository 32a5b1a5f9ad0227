/// Finds what a mistyped word may have meant.
enum Spelling {
    /// The candidate that takes the fewest edits, two or a third of the word at most.
    static func nearest(to word: String, in candidates: some Sequence<String>) -> String? {
        let limit = word.count < 4 ? 1 : max(2, word.count / 3)
        return candidates.map { (name: $0, edits: edits(from: word, to: $0)) }
            .filter { $0.edits <= limit }
            .min { ($0.edits, $0.name) < ($1.edits, $1.name) }?.name
    }

    /// The Levenshtein distance: letters inserted, removed or replaced.
    static func edits(from source: String, to target: String) -> Int {
        let target = Array(target)
        var row = Array(0...target.count)
        for (line, letter) in source.enumerated() {
            var diagonal = line
            row[0] = line + 1
            for column in target.indices {
                let replaced = diagonal + (letter == target[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[target.count]
    }
}
