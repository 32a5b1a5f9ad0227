import ProgramKit
import SyncCore

/// The edits of a track and its relation to other tracks.
struct EditReport: Sendable {
    let edits: TrackEdits
    let standing: Track.Standing
    /// The tracks of splits and joins of this track that are not valid.
    let alternatives: [Identifier]
    /// The labels of related tracks in messages.
    let labels: [Identifier: String]

    /// The lines of the report; those that would say nothing have no value.
    var fields: [(label: String, value: String?)] {
        [
            ("edited", laid), ("made of", edits.parts.map { words(for: $0.map(\.source)) }),
            ("see", standing == .superseded ? words(for: edits.successors) : nil),
            ("alternatives", alternatives.isEmpty ? nil : words(for: alternatives)),
            ("not listed", standing == .shown ? nil : standing.words),
        ]
    }

    private var laid: String? {
        let parts = edits.hidings.values.count { !$0.isBridged }
        let fixes = edits.hidings.count - parts
        let words = [
            edits.trim.start == nil ? nil : "start trimmed",
            edits.trim.end == nil ? nil : "end trimmed",
            parts > 0 ? parts.counted("part") + " hidden" : nil,
            fixes > 0 ? fixes.counted("fix", "fixes") + " hidden" : nil,
        ].compactMap(\.self)
        let undo = "; 'wake tracks history' lists what can be undone"
        return words.isEmpty ? nil : words.joined(separator: ", ") + undo
    }

    private func words(for tracks: [Identifier]) -> String {
        tracks.uniqued().map { labels[$0] ?? $0.short }.joined(separator: ", ")
    }

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

extension Library {
    func editReport(of track: Track, _ cells: [Text: Cell]) async throws -> EditReport {
        let edits = TrackEdits(cells)
        let alternatives = try await replica.read {
            try $0.editing.alternatives(to: track.id, in: space)
        }
        let related = (edits.parts ?? []).map(\.source) + edits.successors + alternatives
        return EditReport(
            edits: edits,
            standing: track.standing,
            alternatives: alternatives,
            labels: try await labels(of: related)
        )
    }

    /// Returns the labels of tracks in messages; tracks missing from the replica get none.
    func labels(of tracks: [Identifier]) async throws -> [Identifier: String] {
        var labels: [Identifier: String] = [:]
        for id in tracks where labels[id] == nil { labels[id] = try await stored(id)?.label }
        return labels
    }
}
