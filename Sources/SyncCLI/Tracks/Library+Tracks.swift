import ProgramKit
import SyncCore

extension Library {
    /// Returns the row of the track whose id begins with `word`.
    func trackRow(_ word: String) async throws -> FoundRow {
        try await row(word, in: .track, list: "wake tracks list")
    }

    /// Returns the track whose id begins with `word`, even if it is in the trash or not shown.
    func track(_ word: String) async throws -> Track {
        let row = try await trackRow(word)
        guard let track = try await present(row.name.id) else {
            throw UserError.notFound("no track '\(word)'", hint: "see 'wake tracks list'")
        }
        return track
    }

    /// Describes the write of a field as a noun phrase, for the history.
    private func words(for field: Text, _ value: Value, _ track: Track) async throws -> String {
        let change = Change(
            key: Key(CollectionSchema.track.name, .id(track.id), field),
            cell: Cell(stamp: Stamp(time: 0, replica: .zero), value: value)
        )
        let text = try await self.words(for: [change]).text(change).withoutControls
            .shortened(to: 60)
        return switch (field, value) {
        case (_, .null): "clearing the \(field) of \(track.label)"
        case (TrackField.name, _): "renaming \(track.label) to '\(text)'"
        default: "setting the \(field) of \(track.label) to '\(text)'"
        }
    }

    /// Writes one field of a track as an action that can be undone.
    ///
    /// Returns the track as it is afterwards, and whether anything changed.
    func write(
        _ field: Text,
        _ value: Value,
        to track: Track,
        at now: Moment
    ) async throws -> (track: Track, isChanged: Bool) {
        let words = try await words(for: field, value, track)
        let count = try await perform([Edit(track.id, field, value)], as: words, at: now)
        return (try await present(track.id) ?? track, count > 0)
    }
}
