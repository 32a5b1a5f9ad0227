import ProgramKit
import SyncCore

/// The result of importing one file or one archive entry.
struct ImportResult {
    /// The file's path; an archive entry follows its archive: `archive.zip: path/in/it`.
    let file: String
    let isDry: Bool
    /// Whether the user named the file; files in folders and archives may be ignored silently.
    let isNamed: Bool
    var tracks: [Entry] = []
    /// The places outside all tracks, with their names in the file.
    var places: [(name: String, row: ImportedPlace)] = []
    /// The number of waypoints that became marks of tracks, or would.
    var markCount = 0
    /// The number of marks left out because their track was skipped.
    var leftOutMarkCount = 0
    /// A note on data that was ignored or truncated.
    var remark: String?
    /// The damage in a file whose remaining data was imported.
    var damage: String?
    /// Whether nothing after the damage was read.
    var isCut = false
    var userError: UserError?
    /// Whether the replica caused the error, for example through a full disk, and not the file.
    var isOurFault = false
    /// Whether the file is no recording, or contains no track.
    var isNoRecording = false

    /// The result for one track of the file.
    struct Entry {
        let row: ImportedRow
        /// The track in the replica, or nil if it was not imported.
        let track: Track?
        let name: String
        let sampleCount: Int
        /// Whether the track is in the trash, or would be.
        let isDeleted: Bool
        /// The number of chunks of a known track that were missing and are here again.
        let restoredChunkCount: Int
        /// Whether the damage in the file cut this track short.
        var isPart = false
        /// The existing tracks that it duplicates.
        var alike: [Alike] = []
        /// Whether it was skipped because of them.
        var isSkipped = false
    }

    /// An existing track that a track of the file duplicates.
    struct Alike {
        let found: DuplicateTrack
        let track: Track
        let resolution: Resolution

        /// Whether the new track replaces it.
        var isReplaced: Bool { resolution == .replaced || resolution == .outgrown }
    }

    /// What happens to the existing track.
    enum Resolution {
        case kept
        /// The new track replaces it.
        case replaced
        /// The new track is a longer version of it and replaces it.
        case outgrown
        /// The new track was meant to replace it but holds less data.
        case keptForMore
    }

    /// Whether the result is not worth reporting.
    var isPassedOver: Bool { isNoRecording && !isNamed }
}

/// Text output.
extension ImportResult {
    func tell(on output: Output) {
        if !output.isJSON {
            for entry in tracks {
                output.line("\(name): \(line(entry))")
                for alike in entry.alike { output.line("\(name): \(line(alike, entry))") }
            }
            if let words = placeWords { output.line("\(name): \(words)") }
        }
        if let remark { output.note("\(name): \(remark)") }
        if let damage {
            let saved = isCut ? "the part before the damage" : "the readable rest"
            output.warn("\(damage); \(saved) \(isDry ? "would be" : "was") imported")
        }
        if let userError { output.report(userError) }
    }

    /// The counts of places and marks as text, or nil if there are none.
    private var placeWords: String? {
        let new = Set(places.filter(\.row.isNew).map(\.row.id)).count
        let deleted = Set(places.filter(\.row.isDeleted).map(\.row.id)).count
        let here = Set(places.map(\.row.id)).count - new - deleted
        let parts = [
            new == 0 ? nil : new.counted("place") + (isDry ? " would be new" : ""),
            here == 0 ? nil : "\(here.counted("place")) already known",
            deleted == 0 ? nil : deleted.counted("place") + " in the trash",
            markCount == 0 ? nil : markCount.counted("mark"),
            leftOutMarkCount == 0 ? nil : leftOutMarkCount.counted("mark") + " skipped",
        ]
        let told = parts.compactMap(\.self)
        return told.isEmpty ? nil : told.joined(separator: ", ")
    }

    private var name: String { file == "-" ? "standard input" : file.withoutControls }

    private func line(_ entry: Entry) -> String {
        let count = entry.sampleCount.counted("sample")
        if entry.isSkipped {
            let verb = isDry ? "would be" : "was"
            return "'\(entry.name.withoutControls)' \(verb) skipped, \(count)"
        }
        guard let track = entry.track else {
            return "'\(entry.name.withoutControls)' would be new, \(count)"
        }
        if entry.row.isNew { return "\(track.label), \(track.pointCount.counted("point"))" }
        let restored = entry.restoredChunkCount.counted("missing chunk")
        return "already imported as \(track.label)"
            + (entry.isDeleted
                ? ", in the trash; 'wake restore \(track.id.short)' restores it" : "")
            + (entry.restoredChunkCount > 0 ? "; \(restored) restored" : "")
    }

    private func line(_ alike: Alike, _ entry: Entry) -> String {
        let minutes = alike.found.shiftMilliseconds / 60_000
        let clock = minutes == 0 ? "" : ", times shifted by \(Self.clock(minutes))"
        let trash = "the existing track \(isDry ? "would go to" : "is in") the trash"
        let what =
            entry.isPart ? "a part of the same outing" : "the same outing from another source"
        let like = "possible duplicate of \(alike.track.label): \(what)\(clock)"
        return switch alike.resolution {
        case .kept: like
        case .replaced: like + "; \(trash)"
        case .outgrown: "continues \(alike.track.label); \(trash)"
        case .keptForMore: like + "; the existing track has more data and is kept"
        }
    }

    private static func clock(_ minutes: Int64) -> String {
        "\(abs(minutes) / 60):\(abs(minutes) % 60 < 10 ? "0" : "")\(abs(minutes) % 60) h"
    }
}

/// JSON output.
extension ImportResult {
    var json: JSON {
        .object([
            ("file", .text(file)), ("isDry", .bool(isDry)),
            ("tracks", .array(tracks.map(Self.json))),
            (
                "places",
                .array(
                    places.map { name, row in
                        .object([
                            ("id", .text(row.id.description)), ("name", .text(name)),
                            ("isNew", .bool(row.isNew)),
                        ])
                    }
                )
            ),
            ("marks", .integer(markCount)),
            ("damage", .text(damage)),
            ("error", .text(userError?.message)),
        ])
    }

    private static func json(_ entry: Entry) -> JSON {
        let members = entry.track?.members ?? [("name", .text(entry.name))]
        return .object(
            members + [
                ("isNew", .bool(entry.row.isNew)), ("isDeleted", .bool(entry.isDeleted)),
                ("isSkipped", .bool(entry.isSkipped)),
                ("restoredChunks", .integer(entry.restoredChunkCount)),
                ("like", .array(entry.alike.map(json))),
            ]
        )
    }

    private static func json(_ alike: Alike) -> JSON {
        .object([
            ("id", .text(alike.track.id.description)),
            ("name", .text(alike.track.name)),
            ("shiftMinutes", .integer(Int(alike.found.shiftMilliseconds / 60_000))),
            ("isReplaced", .bool(alike.isReplaced)),
        ])
    }
}
