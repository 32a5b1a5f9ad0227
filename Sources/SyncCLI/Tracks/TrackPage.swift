import ProgramKit
import SyncCore

/// The output of `tracks show`.
struct TrackPage: Sendable {
    let track: Track
    let isResumable: Bool
    let flags: FixFlags
    let edits: EditReport
    /// The picture, or nil for JSON output, which has none.
    let picture: TrackPicture?
    let texts: [Text: String]
    let source: TrackSource
    /// The figures, or nil while chunks of the track are missing.
    let figures: FigureReport?
    let statistics: [ChannelStatistics]
    let marks: MarkReport
    let preferences: Preferences

    func show(on output: Output) {
        output.line(output.styled(track.titleAndStatus, .bold))
        output.fields(summary)
        if !statistics.isEmpty {
            output.line()
            output.table(table)
        }
        if let figures { FigureTables(report: figures).show(on: output) }
        marks.show(on: output, preferences, of: track)
        guard let picture else { return }
        output.text(picture.text(columns: output.columns))
        picture.note(on: output)
    }

    private var summary: [(label: String, value: String?)] {
        let chunks = track.missingChunkCount.counted("chunk")
        var fields: [(label: String, value: String?)] = [
            ("id", track.id.description),
            ("sport", track.sport ?? "–"),
            ("start", preferences.text(track.start)),
            ("finish", preferences.time(track.finish, of: track.start)),
            ("duration", track.elapsed),
            ("distance", preferences.distance(track.knownDistanceMetres)),
        ]
        fields += figures?.fields ?? []
        fields += [
            ("points", "\(points) of \(track.sampleCount.counted("sample"))"),
            ("recording", isResumable ? "interrupted; " + Track.resuming("it") : nil),
            ("flagged", flags.words),
            ("missing", track.missingChunkCount > 0 ? "\(chunks); 'wake sync' fetches them" : nil),
        ]
        fields += Self.notes.map { (label: $0.string, value: texts[$0]) }
        fields += source.fields(preferences) + edits.fields
        return fields + [("trash", track.isDeleted ? "deleted; 'wake restore' restores it" : nil)]
    }

    private static let notes = [TrackField.notes, TrackField.colour, TrackField.gear]

    private var points: String {
        track.unmeasuredChunkCount > 0 ? "–" : String(track.pointCount)
    }

    private var table: Table {
        Table(
            columns: [
                .left("channel"), .right("readings"), .right("min"), .right("mean"),
                .right("max"),
            ],
            rows: statistics.map { row in
                func text(_ value: Double?) -> String {
                    value.map { preferences.text(row.channel, $0) } ?? "–"
                }
                return [
                    row.channel.description, String(row.count), text(row.range?.lowerBound),
                    text(row.mean), text(row.range?.upperBound),
                ]
            }
        )
    }

    var members: [(String, JSON)] {
        track.members
            + Self.notes.map { ($0.string, .text(texts[$0])) } + source.members
            + [
                ("figures", figures?.json ?? .null),
                ("flagged", flags.json),
                ("edits", edits.json),
                ("isDeleted", .bool(track.isDeleted)),
                ("channels", .array(statistics.map(\.json))),
                ("marks", marks.json),
            ]
    }
}

extension ChannelStatistics {
    /// The statistics in the channel's own units: degrees, metres, metres per second.
    fileprivate var json: JSON {
        let decimals = channel.decimals + 1
        return .object([
            ("channel", .text(channel.description)),
            ("count", .integer(count)),
            ("min", .number(range?.lowerBound, decimals: decimals)),
            ("mean", .number(mean, decimals: decimals)),
            ("max", .number(range?.upperBound, decimals: decimals)),
        ])
    }
}
