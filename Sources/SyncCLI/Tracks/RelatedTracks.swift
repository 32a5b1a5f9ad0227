import SyncCore

/// Reports how a change of one track affects its related tracks.
struct RelatedTracks: Sendable {
    private let library: Library
    private let track: Identifier
    private let before: [Track]

    /// Captures the related tracks before the change.
    init(of track: Track, in library: Library) async throws {
        (self.library, self.track) = (library, track.id)
        before = try await library.replica.read {
            try $0.editing.relatedTracks(of: track.id, in: library.space)
        }
    }

    /// Returns a line for each related track whose samples or visibility changed.
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
    /// Explains why a track is not listed and how to show it again.
    ///
    /// Returns nil if the track is listed or in the trash.
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

    /// Returns a note on the sources that a joined track hides, or nil for any other track.
    func deletionNote(for track: Track) async throws -> String? {
        let sources = try await tracks(try await edits(of: track).sources)
        guard let first = sources.first, sources.count > 1 else { return nil }
        return "\(Self.labels(of: sources)) are joined in it and not shown either; "
            + "'wake undo \(first.id.short) \(TrackEdits.supersededBy)' shows them separately"
    }

    private static func labels(of tracks: [Track]) -> String {
        tracks.map(\.label).joined(separator: ", ")
    }

    func edits(of track: Track) async throws -> TrackEdits {
        TrackEdits(try await cells(of: track.id))
    }

    private func tracks(_ ids: [Identifier]) async throws -> [Track] {
        var tracks: [Track] = []
        for id in ids { if let track = try await present(id) { tracks.append(track) } }
        return tracks
    }
}

extension TrackEdits {
    /// The source tracks, each once, in order.
    fileprivate var sources: [Identifier] { (parts ?? []).map(\.source).uniqued() }
}
