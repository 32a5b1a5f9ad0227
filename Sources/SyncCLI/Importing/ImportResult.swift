import ProgramKit
import SyncCore

/// What became of one file, or of one in an archive.
struct ImportResult {
    /// A file of an archive stands behind it: `archive.zip: path/in/it`.
    let file: String
    let isDry: Bool
    /// Whether a person named it; what a folder or an archive has besides recordings is passed over.
    let isNamed: Bool
    var tracks: [Entry] = []
    /// The places beside the tracks, with the names of the file.
    var places: [(name: String, row: ImportedPlace)] = []
    /// How many places became marks of the tracks, or would.
    var markCount = 0
    /// How many were left out with a track that is here already.
    var leftOutMarkCount = 0
    /// What was passed over or cut.
    var remark: String?
    /// What is wrong with a file of which the rest was taken.
    var damage: String?
    /// Whether nothing was read behind it.
    var isCut = false
    var userError: UserError?
    /// Whether the fault is the replica's, such as a full disk, and not the file's.
    var isOurFault = false
    /// Whether it is no recording, or none of a track.
    var isNoRecording = false

    /// What became of one track of it.
    struct Entry {
        let row: ImportedRow
        /// As it is here now; nil where it is not.
        let track: Track?
        let name: String
        let sampleCount: Int
        /// Whether it was here and lies in the trash, or would.
        let isDeleted: Bool
        /// Whether there was more of it, before the file was damaged.
        var isPart = false
        /// Those here that are like it.
        var alike: [Alike] = []
        /// Whether it was left out because of them.
        var isSkipped = false
    }

    /// A track that is here and like one of the file.
    struct Alike {
        let found: DuplicateTrack
        let track: Track
        let resolution: Resolution

        /// Whether the new one takes its place.
        var isReplaced: Bool { resolution == .replaced || resolution == .outgrown }
    }

    /// What became of it, or would.
    enum Resolution {
        case kept
        /// The new one took its place.
        case replaced
        /// The new one is it, and goes on.
        case outgrown
        /// The new one was to take its place, and tells less.
        case keptForMore
    }

    /// Whether there is nothing to tell.
    var isPassedOver: Bool { isNoRecording && !isNamed }
}

/// For people.
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

    /// How many places and marks there are; nil for none.
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
        guard entry.isDeleted else { return "already imported as \(track.label)" }
        return "already imported as \(track.label), in the trash; "
            + "'wake restore \(track.id.short)' restores it"
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

/// For programs.
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
