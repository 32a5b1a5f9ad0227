import ProgramKit
import SyncCore

/// Copies tracks from one space to another.
struct TrackTransfer: Sendable {
    let source: Library
    let target: Library
    /// What a person calls the target.
    let targetName: String
    /// Whose devices get the copies.
    let receivers: String
    /// The option that names the target in a command; empty for the own space.
    private let targetOption: String
    private let isWithFile: Bool
    let context: Context

    static let options = [
        Option("--from NAME", "the space that has the tracks now (default: your own)"),
        Option("--file", "copy the imported file, too; it may show what you hid"),
    ]

    init(_ arguments: Arguments, _ context: Context) async throws {
        let target = try await context.library()
        let all = try await target.replica.read { try $0.sharedSpaces.all() }
        let from = try arguments.option("--from").map { try SharedSpace.find($0, in: all).id }
        let shared = all.first { $0.id == target.space }
        guard from ?? target.own != target.space else {
            throw UserError.usage(
                "no other space was named",
                hint: "use '--space NAME' for the space that gets the tracks, or '--from NAME'"
            )
        }
        try await target.checkMayAdd()
        (self.target, source) = (target, target.of(from ?? target.own))
        (targetName, self.context) = (shared?.label ?? "your own space", context)
        receivers = shared.map { "the members of \($0.label)" } ?? "your other devices"
        targetOption = shared.map { " --space \($0.label)" } ?? ""
        isWithFile = arguments.flag("--file")
    }

    /// Returns the tracks that are to be copied.
    func tracks(_ arguments: Arguments) async throws -> [Track] {
        var tracks: [Track] = []
        for word in arguments.list("ID") {
            let track = try await source.shownTrack(word)
            guard track.status != .recording, track.status != .paused else {
                throw UserError.failure(
                    "\(track.label) is still being recorded",
                    hint: "'wake recording stop' ends the recording"
                )
            }
            tracks.append(track)
        }
        return tracks
    }

    /// Copies a track; a copy that exists gets only what it lacks.
    func copy(_ track: Track) async throws -> TrackCopy {
        do {
            let row = try await target.replica.write {
                try $0.copies.copy(
                    link(to: track),
                    to: target.space,
                    withFile: isWithFile,
                    at: context.moment()
                )
            }
            return TrackCopy(source: track, row: row, transfer: self)
        } catch TrackCopyError.empty {
            throw UserError.failure("\(track.label) has no samples to copy")
        } catch TrackCopyError.missingChunks(let count) {
            throw UserError.failure(
                "\(count.counted("piece")) of \(track.label) \(count == 1 ? "is" : "are") not here yet",
                hint: "'wake sync' fetches the rest"
            )
        } catch is OriginalError {
            throw UserError.failure(
                "the imported file of \(track.label) is not here, or is damaged",
                hint: "'wake sync' fetches it; without --file the track is copied alone"
            )
        }
    }

    /// Whether the server has accepted a copy of all that the track shows now.
    func isAccepted(_ track: Track) async throws -> Bool {
        try await target.replica.read {
            try $0.copies.isAccepted(link(to: track), to: target.space, withFile: isWithFile)
        }
    }

    private func link(to track: Track) -> TrackLink {
        TrackLink(space: source.space, track: track.id)
    }

    fileprivate func restoring(_ id: Identifier) -> String {
        "'wake restore \(id.short)\(targetOption)'"
    }
}

/// A copy of a track in another space.
struct TrackCopy: Sendable {
    let source: Track
    let row: ImportedRow
    fileprivate let transfer: TrackTransfer

    var json: JSON {
        .object([
            ("id", .text(row.track.description)),
            ("copiedFrom", .text(source.id.description)),
            ("space", .text(transfer.target.space.description)),
            ("isNew", .bool(row.isNew)),
            ("isDeleted", .bool(row.isDeleted)),
        ])
    }

    var words: String {
        let name = transfer.targetName
        if row.isNew { return "copied \(source.label) to \(name) as \(row.track.short)" }
        let known = "\(source.label) is in \(name) already, as \(row.track.short)"
        return row.isDeleted
            ? "\(known), in the trash; \(transfer.restoring(row.track)) restores it" : known
    }
}
