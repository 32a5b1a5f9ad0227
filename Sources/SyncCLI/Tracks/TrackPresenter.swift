import SyncCore

extension RowPresenter {
    /// Presents tracks with their figures, and reports what changes of related tracks follow.
    static let track = RowPresenter(schema: .track) { row, library in
        try await library.present(row.name.id)?.members ?? row.members
    } size: { row, library in
        let track = try await library.stored(row.name.id)
        return try await library.preferences().distance(track?.knownDistanceMetres)
    } consequences: { row, library in
        guard let track = try await library.present(row.name.id) else { return { [] } }
        let related = try await RelatedTracks(of: track, in: library)
        return {
            var lines = try await related.changes()
            guard let after = try await library.present(row.name.id) else { return lines }
            if after.isDeleted {
                if let words = try await library.deletionNote(for: after) { lines.append(words) }
            } else if let words = try await library.absence(of: after) {
                lines.insert(words, at: 0)
            }
            return lines
        }
    } words: { changes, library, space, preferences in
        let words = try await TrackWords(of: changes, in: library.replica, space, preferences)
        return { words.text($0) }
    }
}
