import SyncCore

/// What people laid over a track, and how it stands to others.
struct EditReport: Sendable {
    let edits: TrackEdits
    let standing: Track.Standing
    /// Tracks that were made of it, and do not count.
    let alternatives: [Identifier]

    /// Lines for a person; none of a track that nobody edited.
    var fields: [(label: String, value: String)] {
        var fields: [(String, String)] = []
        if !laid.isEmpty {
            let undo = "'wake tracks history' tells what can be undone"
            fields.append(("edited", laid.joined(separator: ", ") + "; " + undo))
        }
        if let parts = edits.parts { fields.append(("made of", Self.ids(parts.map(\.source)))) }
        if standing == .superseded {
            fields.append(("see", Self.ids(edits.successors)))
        }
        if !alternatives.isEmpty { fields.append(("alternatives", Self.ids(alternatives))) }
        if standing != .shown { fields.append(("not listed", standing.words)) }
        return fields
    }

    private var laid: [String] {
        var words: [String] = []
        if edits.trim.start != nil { words.append("start cut") }
        if edits.trim.end != nil { words.append("end cut") }
        let parts = edits.hidings.values.count { !$0.isBridged }
        let fixes = edits.hidings.count - parts
        if parts > 0 { words.append(parts.counted("part") + " left out") }
        if fixes > 0 { words.append(fixes.counted("fix", "fixes") + " left out") }
        return words
    }

    private static func ids(_ tracks: [Identifier]) -> String {
        var seen: Set<Identifier> = []
        return tracks.filter { seen.insert($0).inserted }.map(\.short).joined(separator: ", ")
    }

    /// The same for programs.
    var json: JSON {
        .object([
            ("isTrimmed", .bool(edits.trim != SampleRange())),
            ("hidden", .integer(edits.hidings.count)),
            ("madeOf", .array((edits.parts ?? []).map { .text($0.source.description) })),
            ("supersededBy", .array(edits.successors.map { .text($0.description) })),
            ("alternatives", .array(alternatives.map { .text($0.description) })),
            ("isShown", .bool(standing == .shown)),
        ])
    }
}
