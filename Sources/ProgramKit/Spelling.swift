/// Finds what a mistyped word may have meant.
package enum Spelling {
    /// The candidate that takes the fewest edits, two or a third of the word at most.
    package static func nearest(to word: String, in candidates: some Sequence<String>) -> String? {
        let limit = word.count < 4 ? 1 : max(2, word.count / 3)
        return candidates.map { (name: $0, edits: edits(from: word, to: $0)) }
            .filter { $0.edits <= limit }
            .min { ($0.edits, $0.name) < ($1.edits, $1.name) }?.name
    }

    /// A question for what a mistyped word may have meant; nil where nothing is near.
    package static func hint(for word: String, in candidates: some Sequence<String>) -> String? {
        nearest(to: word, in: candidates).map { "did you mean '\($0)'?" }
    }

    /// Letters inserted, removed or replaced, or two neighbours that changed places.
    ///
    /// The optimal string alignment distance.
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
