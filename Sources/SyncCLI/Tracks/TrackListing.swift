import ProgramKit
import SyncCore

/// The output of `tracks list`.
struct TrackListing: Sendable {
    let tracks: [Track]
    /// The number of characters that make the ids of all tracks unique, listed or not.
    let idWidth: Int
    /// The totals of all matching tracks, listed or not.
    let totals: TrackSums
    /// Who made the tracks; nil in the own space.
    let makers: [Identifier: SpacePerson]?
    let preferences: Preferences

    var json: JSON {
        .object([
            (
                "tracks",
                .array(
                    tracks.map { track in
                        let by = makers.map { [SpacePerson.member($0[track.id])] } ?? []
                        return .object(track.members + by)
                    }
                )
            ),
            ("totals", .object(totals.members)),
        ])
    }

    /// Prints the table and a line of totals.
    func show(on output: Output) {
        let isNarrow = (output.columns ?? 80) < 80
        output.table(
            Table(
                columns: isNarrow
                    ? Self.narrow : Self.wide + (makers == nil ? [] : [Self.by]),
                rows: tracks.map { isNarrow ? narrowRow($0) : wideRow($0) }
            )
        )
        let more = tracks.count < totals.count ? "; \(tracks.count) listed" : ""
        output.line("\n" + totals.words(preferences) + more)
        totals.note(on: output)
    }

    private func narrowRow(_ track: Track) -> [String] {
        [
            id(of: track), track.start?.day ?? "–", track.titleAndStatus, track.elapsed,
            preferences.distance(track.knownDistanceMetres),
        ]
    }

    private func wideRow(_ track: Track) -> [String] {
        [
            id(of: track), preferences.time(track.start?.time, of: track.start),
            track.titleAndStatus, track.sport ?? "", track.elapsed,
            preferences.distance(track.knownDistanceMetres),
            track.unmeasuredChunkCount > 0 ? "–" : String(track.pointCount),
        ] + (makers.map { [$0[track.id]?.label ?? "?"] } ?? [])
    }

    private func id(of track: Track) -> String { String(track.id.description.prefix(idWidth)) }

    private static let narrow: [Table.Column] = [
        .whole("id"), .whole("date"), .left("name"), .right("time").ifThereIsRoom,
        .right("distance"),
    ]

    private static let by = Table.Column.left("by").ifThereIsRoom

    private static let wide: [Table.Column] = [
        .whole("id"), .whole("start"), .left("name"), .left("sport").ifThereIsRoom,
        .right("time"), .right("distance"), .right("points").ifThereIsRoom,
    ]
}
