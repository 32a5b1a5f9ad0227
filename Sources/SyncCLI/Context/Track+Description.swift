import ProgramKit
import SyncCore

/// Tracks in the output of commands.
extension Track {
    /// The JSON members of a track; unknown values are null, never 0.
    var members: [(String, JSON)] {
        [
            ("id", .text(id.description)),
            ("name", .text(name)),
            ("sport", .text(sport)),
            ("status", .text(status?.rawValue)),
            ("start", .time(start?.time)),
            ("finish", .time(finish)),
            ("utcOffset", utcOffset),
            ("zone", .text(start?.zone?.text)),
            ("samples", .integer(sampleCount)),
            ("points", unmeasuredChunkCount > 0 ? .null : .integer(pointCount)),
            ("distance", .number(knownDistanceMetres, decimals: 1)),
            ("missingChunks", .integer(missingChunkCount)),
        ]
    }

    /// The UTC offset at the start, in minutes.
    private var utcOffset: JSON {
        guard let start, let offset = start.offset(at: start.time) else { return .null }
        return .integer(offset.minutes)
    }

    /// The distance, or nil if it is not known or there are no points.
    var knownDistanceMetres: Double? {
        unmeasuredChunkCount > 0 || pointCount == 0 ? nil : distanceMetres
    }

    /// The name for messages and tables, without control characters.
    var title: String { name.flatMap { $0.isEmpty ? nil : $0.withoutControls } ?? "(no name)" }

    /// The title with the status, unless stopped, and the standing, unless shown.
    var titleAndStatus: String {
        let words = [
            status == .stopped ? nil : status?.rawValue, standing == .shown ? nil : standing.word,
        ]
        let told = words.compactMap { $0 }.joined(separator: ", ")
        return told.isEmpty ? title : "\(title) (\(told))"
    }

    /// The short id and the title, for messages.
    var label: String { "\(id.short) '\(title)'" }

    /// The time from start to finish, or nil if either is unknown.
    var elapsedMilliseconds: Int64? {
        start.flatMap { finish?.milliseconds(since: $0.time) }
    }

    /// The elapsed time as text.
    var elapsed: String { elapsedMilliseconds.map(Elapsed.text) ?? "–" }
}

extension JSON {
    static func track(_ track: Track) -> JSON { .object([("track", .object(track.members))]) }
}

extension Track.Standing {
    /// The standing in a word or two.
    var word: String {
        switch self {
        case .shown: "shown"
        case .superseded: "superseded"
        case .alternative: "alternative"
        case .sourceless: "source in the trash"
        }
    }

    /// The reason why a track is not listed.
    var words: String {
        switch self {
        case .shown: "it is"
        case .superseded: "it was split, or joined with others"
        case .alternative: "another split or join of the same track won over the one that made it"
        case .sourceless: "all tracks that it is made from are in the trash"
        }
    }
}
