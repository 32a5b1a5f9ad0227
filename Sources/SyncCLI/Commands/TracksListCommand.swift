import SyncCore

extension Commands {
    static let tracksList = Command(
        "tracks list",
        summary: "list the tracks, the latest first",
        options: TrackFilter.options + [
            Option(
                "--sort KEY",
                "by \(TrackOrder.allCases.map(\.rawValue).joined(separator: ", "))"
            ),
            Option("--reverse", "in the opposite order"),
            Option("--limit N", "only the first N"),
            Option("--hidden", "those that others stand for, and alternatives, instead"),
        ],
        details: """
            Days are those of the clocks where a track was. A place is compared with the box
            around a track, so a way around a lake is near its middle. The last line, and
            'totals' of --json, count all tracks that fit, also those that --limit leaves out.
            """
    ) { arguments, context in
        let filter = try TrackFilter(arguments)
        let order = try arguments.choice("--sort") ?? TrackOrder.date
        let limit = try arguments.integer("--limit", in: 1...1_000_000)
        let library = try await context.library()
        let hidden = try await library.replica.hiddenTracks(in: library.space)
        let isHidden = arguments.flag("--hidden")
        let all = try await library.present(
            isHidden ? hidden : library.replica.tracks(in: library.space)
        )
        let fitting = all.filter(filter.contains)
        let sorted = order.sorted(fitting, isReversed: arguments.flag("--reverse"))
        let listing = TrackListing(
            tracks: Array(sorted.prefix(limit ?? sorted.count)),
            idWidth: IDPrefix.short(all.map(\.id)).first?.count ?? 0,
            totals: TrackTotals(fitting),
            preferences: try await library.preferences()
        )
        let output = context.output
        if output.isJSON {
            output.json(listing.json)
        } else if fitting.isEmpty {
            output.note(
                all.isEmpty && !isHidden
                    ? "no tracks yet: 'wake record' and 'wake import' bring some" : "no track fits"
            )
        } else {
            listing.show(on: output)
            let resumable = try await library.resumable()
            if let track = listing.tracks.first(where: { $0.id == resumable }) {
                output.note(Track.resuming(track.label))
            }
        }
        let lost = hidden.count { $0.standing != .superseded }
        if lost > 0, !isHidden {
            let tracks = lost.counted("track of a split or a join", "tracks of splits and joins")
            output.note("\(tracks) not shown: 'wake tracks list --hidden'")
        }
        return .success
    }
}
