import ProgramKit
import SyncCore

/// Tracks as the command line tells them.
extension Track {
    /// The members that every command gives a track; unknown is null, never 0.
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
            ("points", missingChunkCount > 0 ? .null : .integer(pointCount)),
            ("distance", .number(knownDistanceMetres, decimals: 1)),
            ("missingChunks", .integer(missingChunkCount)),
        ]
    }

    /// Minutes, at the start.
    private var utcOffset: JSON {
        guard let start, let offset = start.offset(at: start.time) else { return .null }
        return .integer(offset.minutes)
    }

    /// Metres along the points, nil unless they are all here and there are some.
    var knownDistanceMetres: Double? {
        missingChunkCount > 0 || pointCount == 0 ? nil : distanceMetres
    }

    /// The name as messages and tables show it.
    var title: String { name.flatMap { $0.isEmpty ? nil : $0.withoutControls } ?? "(no name)" }

    /// The title, and how the recording stands where it did not end as it should, and the track where
    /// it is not shown.
    var titleAndStatus: String {
        let words = [
            status == .stopped ? nil : status?.rawValue, standing == .shown ? nil : standing.word,
        ]
        let told = words.compactMap { $0 }.joined(separator: ", ")
        return told.isEmpty ? title : "\(title) (\(told))"
    }

    /// The short id and the name, for messages.
    var label: String { "\(id.short) '\(title)'" }

    /// From start to finish; nil where one of them is not known.
    var elapsedMilliseconds: Int64? {
        guard let start, let finish else { return nil }
        // A hostile cell may begin at the start of all time.
        let (span, isTooLong) = finish.milliseconds
            .subtractingReportingOverflow(start.time.milliseconds)
        return isTooLong ? nil : span
    }

    /// The same in words.
    var elapsed: String { elapsedMilliseconds.map(Elapsed.text) ?? "–" }
}

extension JSON {
    /// A track with no other members.
    static func track(_ track: Track) -> JSON { .object([("track", .object(track.members))]) }
}

extension Track.Standing {
    /// One word of it.
    var word: String {
        switch self {
        case .shown: "shown"
        case .superseded: "superseded"
        case .alternative: "alternative"
        case .sourceless: "source in the trash"
        }
    }

    /// Why a track is not in the list.
    var words: String {
        switch self {
        case .shown: "it is"
        case .superseded: "it was split, or joined with others"
        case .alternative: "it comes from a split or join that another one overrode"
        case .sourceless: "all tracks that it is made from are in the trash"
        }
    }
}
