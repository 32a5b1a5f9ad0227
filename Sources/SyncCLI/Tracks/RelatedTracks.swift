import SyncCore

/// What becomes of the tracks that are made of one, or that it is made of, while that one changes.
struct RelatedTracks: Sendable {
    private let library: Library
    private let track: Identifier
    private let before: [Track]

    /// The related tracks as they are before the change.
    init(of track: Track, in library: Library) async throws {
        (self.library, self.track) = (library, track.id)
        before = try await library.replica.read {
            try $0.editing.relatedTracks(of: track.id, in: library.space)
        }
    }

    /// A line for each of them that shows something else than before, or is shown no more, or again.
    func changes() async throws -> [String] {
        let preferences = try await library.preferences()
        let after = try await library.replica.read {
            try $0.editing.relatedTracks(of: track, in: library.space)
        }
        return zip(before, after).compactMap { before, after in
            guard before.id == after.id, !after.isDeleted else { return nil }
            if after.standing != before.standing {
                return after.standing == .shown
                    ? "\(after.label) is shown again"
                    : "\(after.label) is no longer shown: \(after.standing.words)"
            }
            guard after.standing == .shown, after.sampleCount != before.sampleCount else {
                return nil
            }
            let distance = preferences.distance(after.knownDistanceMetres)
            return "\(after.label) now has \(after.elapsed), \(distance)"
        }
    }
}

extension Library {
    /// Why a track is in no list though it is not in the trash, and how to have it back; nil where it
    /// is in one, or in the trash.
    func absence(of track: Track) async throws -> String? {
        guard track.standing != .shown, !track.isDeleted else { return nil }
        let edits = try await self.edits(of: track)
        let isUnder = track.standing == .superseded
        let ids = isUnder ? edits.successors : edits.sources
        let others = try await tracks(ids)
        let trashed = others.filter(\.isDeleted)
        guard let first = trashed.first, track.standing != .alternative else {
            let inPlace = isUnder ? "; see \(Self.labels(of: others))" : ""
            return "it is not shown: \(track.standing.words)\(inPlace)"
        }
        let labels = Self.labels(of: trashed)
        return "it is not shown: it is \(isUnder ? "superseded by" : "made from") \(labels), which "
            + (trashed.count > 1 ? "are" : "is") + " in the trash; "
            + "'wake restore \(first.id.short)' restores that track"
    }

    /// What goes out of sight with a track that was joined of others; nil of any other track.
    func deletionNote(for track: Track) async throws -> String? {
        let sources = try await tracks(try await edits(of: track).sources)
        guard let first = sources.first, sources.count > 1 else { return nil }
        return "\(Self.labels(of: sources)) are joined in it and not shown either; "
            + "'wake undo \(first.id.short) \(TrackEdits.supersededBy)' shows them separately"
    }

    private static func labels(of tracks: [Track]) -> String {
        tracks.map(\.label).joined(separator: ", ")
    }

    /// What people laid over a track.
    func edits(of track: Track) async throws -> TrackEdits {
        let row = Row.id(track.id)
        return TrackEdits(
            try await replica.read { try $0.rows.cells(TrackField.collection, row, in: space) }
        )
    }

    private func tracks(_ ids: [Identifier]) async throws -> [Track] {
        var tracks: [Track] = []
        for id in ids { if let track = try await present(id) { tracks.append(track) } }
        return tracks
    }
}

extension TrackEdits {
    /// The tracks that one is made of, each once, in order.
    fileprivate var sources: [Identifier] { (parts ?? []).map(\.source).uniqued() }
}
