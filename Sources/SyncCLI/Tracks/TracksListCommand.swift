import ProgramKit
import SyncCore

enum TracksListCommand {
    static let command = Command(
        "tracks list",
        summary: "list the tracks, newest first",
        options: TrackFilter.options + [
            Option(
                "--sort KEY",
                "sort by \(TrackOrder.allCases.map(\.rawValue).joined(separator: ", "))"
            ),
            Option("--reverse", "reverse the order"),
            Option("--limit N", "list only the first N tracks"),
            Option("--hidden", "list superseded tracks and alternatives instead"),
        ],
        details: """
            Days follow the local time of a track. --near measures the distance to the
            bounding box of a track, so a track around a lake is near the middle of the
            lake. The last line, and 'totals' of --json, count all matching tracks,
            including those beyond --limit.
            """
    ) { arguments, context in
        let filter = try TrackFilter(arguments)
        let order = try arguments.choice("--sort") ?? TrackOrder.date
        let limit = try arguments.integer("--limit", in: 1...1_000_000)
        let library = try await context.library()
        let isHidden = arguments.flag("--hidden")
        let isReversed = arguments.flag("--reverse")
        let listed: Listed
        if let limit, filter.isOpen, order == .date, !isHidden,
            let first = try await library.first(limit, earliestFirst: isReversed)
        {
            listed = first
        } else {
            let fitting = try await library.tracks(isHidden: isHidden).filter(filter.contains)
            let sorted = order.sorted(fitting, isReversed: isReversed)
            listed = (Array(sorted.prefix(limit ?? sorted.count)), TrackSums(fitting))
        }
        let listing = TrackListing(
            tracks: listed.tracks,
            idWidth: IDPrefix.width(
                try await library.replica.read { try $0.rows.ids(in: library.space) }
            ),
            totals: listed.totals,
            makers: try await library.makers(
                of: listed.tracks.map(\.id),
                CollectionSchema.track.name
            ),
            preferences: try await library.preferences()
        )
        if context.output.isJSON {
            context.output.json(listing.json)
        } else if listing.tracks.isEmpty {
            let isNone = filter.isOpen && !isHidden
            context.output.note(
                isNone
                    ? "no tracks yet: 'wake record' and 'wake import' add some"
                    : "no matching tracks"
            )
        } else {
            try await show(listing, library, context.output)
        }
        if !isHidden { try await tellLost(library, context.output) }
        return .success
    }

    private static func show(
        _ listing: TrackListing,
        _ library: Library,
        _ output: Output
    ) async throws {
        listing.show(on: output)
        let resumable = try await library.resumable()
        if let track = listing.tracks.first(where: { $0.id == resumable }) {
            output.note(Track.resuming(track.label))
        }
    }

    private static func tellLost(_ library: Library, _ output: Output) async throws {
        let lost = try await library.replica.read { try $0.tracks.lostCount(in: library.space) }
        guard lost > 0 else { return }
        let tracks = lost.counted("track of a split or join", "tracks of splits or joins")
        output.note("\(tracks) not shown: see 'wake tracks list --hidden'")
    }
}

/// The listed tracks, and the totals including those not listed.
private typealias Listed = (tracks: [Track], totals: TrackSums)

extension Library {
    /// Returns the first tracks of the list and its totals, or nil while a track is being recorded.
    fileprivate func first(_ limit: Int, earliestFirst: Bool) async throws -> Listed? {
        let found = try await replica.read {
            try $0.tracks.first(in: space, limit: limit, earliestFirst: earliestFirst)
        }
        guard let found else { return nil }
        return (try await present(found), try await replica.read { try $0.tracks.sums(in: space) })
    }

    /// Returns all listed tracks, or instead the superseded tracks and alternatives.
    fileprivate func tracks(isHidden: Bool) async throws -> [Track] {
        try await present(
            isHidden
                ? replica.read { try $0.tracks.hidden(in: space) }
                : replica.read { try $0.tracks.all(in: space) }
        )
    }
}
