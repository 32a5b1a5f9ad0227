/// Suggestions for mistyped words.
package enum Spelling {
    /// Returns the candidate with the fewest edits, or nil if none is close.
    ///
    /// The limit is one edit for words of up to three letters, otherwise two edits or a third of
    /// the word, whichever is more.
    package static func nearest(to word: String, in candidates: some Sequence<String>) -> String? {
        let limit = word.count < 4 ? 1 : max(2, word.count / 3)
        return candidates.map { (name: $0, edits: edits(from: word, to: $0)) }
            .filter { $0.edits <= limit }
            .min { ($0.edits, $0.name) < ($1.edits, $1.name) }?.name
    }

    /// Returns a "did you mean" question, or nil if no candidate is close.
    package static func hint(for word: String, in candidates: some Sequence<String>) -> String? {
        nearest(to: word, in: candidates).map { "did you mean '\($0)'?" }
    }

    /// Returns the optimal string alignment distance.
    ///
    /// An edit inserts, deletes or replaces a letter, or swaps two neighbours.
    static func edits(from source: String, to target: String) -> Int {
        let (source, target) = (Array(source), Array(target))
        var (before, above) = ([Int](), Array(0...target.count))
        for line in source.indices {
            var row = [line + 1]
            for column in target.indices {
                let isSame = source[line] == target[column]
                var edits = min(
                    above[column] + (isSame ? 0 : 1),
                    above[column + 1] + 1,
                    row[column] + 1
                )
                if line > 0, column > 0, source[line] == target[column - 1],
                    source[line - 1] == target[column]
                {
                    edits = min(edits, before[column - 1] + 1)
                }
                row.append(edits)
            }
            (before, above) = (above, row)
        }
        return above[target.count]
    }
}
