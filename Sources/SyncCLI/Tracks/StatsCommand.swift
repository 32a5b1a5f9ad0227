import ProgramKit
import SyncCore

enum StatsCommand {
    static let command = Command(
        "stats",
        summary: "show totals by day, week, month, year or sport",
        options: [
            Option(
                "--by WHAT",
                TrackGrouping.allCases.map(\.rawValue).joined(separator: ", ") + " (default: month)"
            )
        ] + TrackFilter.options,
        details: """
            Days follow the local time of a track; weeks begin on Monday. Tracks in the
            trash do not count. Tracks without a time, or without a sport, count as
            'unknown'.
            """
    ) { arguments, context in
        let filter = try TrackFilter(arguments)
        let grouping = try arguments.choice("--by") ?? TrackGrouping.month
        let library = try await context.library()
        let tracks = try await library.replica.read { try $0.tracks.all(in: library.space) }.filter(
            filter.contains
        )
        let table = StatsTable(
            grouping: grouping,
            groups: TrackGroup.groups(of: tracks, by: grouping),
            totals: TrackSums(tracks),
            preferences: try await library.preferences()
        )
        if context.output.isJSON {
            context.output.json(table.json)
        } else if tracks.isEmpty {
            context.output.note(filter.isOpen ? "no tracks yet" : "no matching tracks")
        } else {
            table.show(on: context.output)
        }
        return .success
    }
}

/// The output of `stats`.
private struct StatsTable {
    private static let barColumns = 20
    private static let columnsWithBar = 72

    let grouping: TrackGrouping
    let groups: [TrackGroup]
    let totals: TrackSums
    let preferences: Preferences

    var json: JSON {
        .object([
            ("by", .text(grouping.rawValue)),
            (
                "groups",
                .array(groups.map { .object([("name", .text($0.name))] + $0.totals.members) })
            ),
            ("totals", .object(totals.members)),
        ])
    }

    /// A figure of a group; each is a column of the table.
    private typealias Figure = (column: Table.Column, text: (TrackSums) -> String)

    private var figures: [Figure] {
        [
            (.right("tracks"), { "\($0.count)" }),
            (.right("distance"), { preferences.distance($0.metres) }),
            (.right("time"), { $0.elapsed }),
            (.right("longest"), { preferences.distance($0.longestMetres) }),
        ]
    }

    func show(on output: Output) {
        let hasBar = (output.columns ?? 80) >= Self.columnsWithBar
        let figures = figures
        func row(_ name: String, _ totals: TrackSums, _ bar: String) -> [String] {
            [name] + figures.map { $0.text(totals) } + (hasBar ? [bar] : [])
        }
        let table = Table(
            columns: [.left(grouping.rawValue)] + figures.map(\.column)
                + (hasBar ? [.whole("")] : []),
            rows: groups.map { row($0.name ?? "unknown", $0.totals, bar(of: $0)) }
                + [row("total", totals, "")]
        )
        output.table(table)
        totals.note(on: output)
    }

    /// Returns a bar proportional to the group's distance, relative to the longest.
    private func bar(of group: TrackGroup) -> String {
        let greatest = groups.map(\.totals.metres).max() ?? 0
        let isNothing = preferences.distance(group.totals.metres) == preferences.distance(0)
        guard greatest > 0, !isNothing else { return "" }
        let halves = Int((group.totals.metres / greatest * Double(Self.barColumns * 2)).rounded())
        return String(repeating: "█", count: halves / 2)
            + (halves % 2 == 1 || halves == 0 ? "▌" : "")
    }
}
