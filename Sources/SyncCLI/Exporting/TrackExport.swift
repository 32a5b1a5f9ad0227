import ProgramKit
import SyncCore

/// Exports tracks to files.
///
/// Samples are streamed from the replica, so memory use does not grow with a track. Files get
/// their name only when they are complete.
struct TrackExport: Sendable {
    let library: Library
    var tracks: [Track]
    let format: ExportFormat
    /// Whether existing files are overwritten.
    let replaces: Bool
    let context: Context
    /// Whether to show the progress in bytes for each file.
    var drawsBytes = true

    /// The destination.
    enum Target: Equatable {
        case standardOutput
        case file(String)
        case folder(String)

        init(_ arguments: Arguments) throws(UserError) {
            switch (arguments.option("--output"), arguments.option("--folder")) {
            case (_?, _?):
                throw UserError.usage(
                    "--output and --folder cannot be used together",
                    hint:
                        "--output FILE writes one file with all tracks, --folder DIR one file for each"
                )
            case (nil, let folder?): self = .folder(folder)
            case (let file?, nil) where file != "-": self = .file(file)
            default: self = .standardOutput
            }
        }
    }

    /// The user interrupted the export between two pieces.
    struct Interrupted: Error {}

    /// Writes the tracks; returns whether all of them are complete.
    func write(to target: Target) async throws -> Bool {
        var isReadable = true
        switch target {
        case .standardOutput: try await writeToOutput()
        case .file(let path): try await write(toFile: path)
        case .folder(let path): isReadable = try await write(toFolder: path)
        }
        return !warnOfMissing() && isReadable
    }

    /// Warns of tracks with missing chunks; returns whether there are any.
    private func warnOfMissing() -> Bool {
        let partial = tracks.filter { $0.missingChunkCount > 0 }
        for track in partial {
            context.output.warn(
                "\(track.label) is incomplete: \(track.missingChunkCount.counted("chunk")) not "
                    + "received yet; 'wake sync' fetches them"
            )
        }
        return !partial.isEmpty
    }

    /// Warns of points that the format cannot hold.
    func warn(leftOut count: Int) {
        guard count > 0 else { return }
        context.output.warn(
            "left out \(count.counted("point")) without a time: \(format.rawValue.uppercased()) "
                + "cannot store them; gpx, geojson and csv can"
        )
    }
}

/// Export to one document.
extension TrackExport {
    /// Writes to standard output, without catching Ctrl-C.
    func writeToOutput() async throws {
        let write = context.output.write
        let leftOut = try await library.replica.stream { replica in
            var writer = format.writer(trackCount: tracks.count, to: write)
            for track in tracks {
                try writer.write(replica.tracks.exported(track, in: library.space))
            }
            try writer.finish()
            return writer.leftOutCount
        }
        warn(leftOut: leftOut)
    }

    func write(toFile path: String) async throws {
        let isOver = context.catchInterrupts()
        let written: (byteCount: Int, leftOut: Int)
        do {
            written = try await library.replica.stream { replica in
                try write(tracks, to: path, reading: replica, until: isOver)
            }
        } catch is Interrupted {
            throw UserError.failure("interrupted; \(path) was not written")
        }
        let members: [(String, JSON)] = [
            ("file", .text(path)), ("bytes", .integer(written.byteCount)),
            ("leftOut", .integer(written.leftOut)),
            ("tracks", .array(tracks.map { .object($0.members) })),
        ]
        context.output.result(.object(members)) {
            "wrote \(tracks.count.counted("track")) to \(path)\n"
        }
        warn(leftOut: written.leftOut)
    }

    private func write(
        _ tracks: [Track],
        to path: String,
        reading replica: ReplicaParts,
        until isOver: @escaping () -> Bool
    ) throws -> (byteCount: Int, leftOut: Int) {
        let progress =
            drawsBytes ? Progress("export", total: nil, unit: .bytes, context: context) : nil
        defer { progress?.end() }
        let file = try OutputFile(path, replaces: replaces)
        var writer = format.writer(trackCount: tracks.count) { piece in
            guard !isOver() else { throw Interrupted() }
            try file.write(piece)
            progress?.update(done: file.byteCount)
        }
        for track in tracks { try writer.write(replica.tracks.exported(track, in: library.space)) }
        try writer.finish()
        try file.finish()
        return (file.byteCount, writer.leftOutCount)
    }
}

/// Export to one file per track.
extension TrackExport {
    /// The result for one track.
    struct Entry: Sendable {
        let track: Track
        let path: String
        /// The size and the omitted points, or nil if the file existed or could not be written.
        var written: (byteCount: Int, leftOut: Int)?
        /// The damage in the track, or nil if there is none.
        var damage: UserError?

        var json: JSON {
            .object(
                [
                    ("file", .text(path)), ("isNew", .bool(written != nil)),
                    ("bytes", written.map { .integer($0.byteCount) } ?? .null),
                    ("leftOut", written.map { .integer($0.leftOut) } ?? .null),
                    ("error", .text(damage?.message)),
                ] + track.members
            )
        }
    }

    /// Writes the files that do not exist yet to a folder and creates it if needed.
    ///
    /// Returns whether all chunks that are here could be read.
    func write(toFolder folder: String) async throws -> Bool {
        try Folder.make(folder)
        let isOver = context.catchInterrupts()
        let progress = Progress(
            "export",
            total: tracks.count,
            unit: .items("tracks"),
            context: context
        )
        var entries: [Entry] = []
        do {
            defer { progress.end() }
            for (track, name) in zip(tracks, fileNames) {
                guard !isOver() else { throw Interrupted() }
                progress.update(done: entries.count)
                let path = "\(folder)/\(name)"
                entries.append(try await writeWhatCanBeRead(track, to: path, until: isOver))
            }
        } catch is Interrupted {
            throw UserError.failure(
                "interrupted after \(entries.count) of \(tracks.count.counted("track"))",
                hint: "run the same command again to continue"
            )
        }
        tell(entries, in: folder)
        return entries.allSatisfy { $0.damage == nil }
    }

    /// Writes a track; damage is part of the result, while a full disk stops the export.
    private func writeWhatCanBeRead(
        _ track: Track,
        to path: String,
        until isOver: @escaping @Sendable () -> Bool
    ) async throws -> Entry {
        do {
            return try await write(track, to: path, until: isOver)
        } catch  where error is ChunkError || (error as? DatabaseError)?.kind == .corrupt {
            let damage = UserError(describing: error).prefixed(with: "cannot export \(track.label)")
            return Entry(track: track, path: path, damage: damage)
        }
    }

    private func write(
        _ track: Track,
        to path: String,
        until isOver: @escaping @Sendable () -> Bool
    ) async throws -> Entry {
        let isReplaced = replaces || track.isPartial
        guard isReplaced || !OutputFile.isTaken(path) else {
            return Entry(track: track, path: path)
        }
        let export = TrackExport(
            library: library,
            tracks: [track],
            format: format,
            replaces: isReplaced,
            context: context,
            drawsBytes: false
        )
        let written = try await library.replica.stream { replica in
            try export.write([track], to: path, reading: replica, until: isOver)
        }
        return Entry(track: track, path: path, written: written)
    }

    private func tell(_ entries: [Entry], in folder: String) {
        let written = entries.count { $0.written != nil }
        let damages = entries.compactMap(\.damage)
        let present = entries.count - written - damages.count
        let members: [(String, JSON)] = [
            ("folder", .text(folder)), ("written", .integer(written)),
            ("alreadyThere", .integer(present)),
            ("files", .array(entries.map(\.json))),
        ]
        context.output.result(.object(members)) {
            "wrote \(written.counted("track")) to \(folder)"
                + (present > 0 ? ", \(present) already there" : "") + "\n"
        }
        damages.forEach(context.output.report)
        warn(leftOut: entries.reduce(0) { $0 + ($1.written?.leftOut ?? 0) })
    }

    /// The file names, with full ids: a short id may later match another track, too.
    private var fileNames: [String] {
        tracks.map { track in
            let stem = TrackFileName.stem(
                day: track.start?.day,
                title: track.name,
                id: track.id.description
            )
            return "\(stem)\(track.isPartial ? "-partial" : "").\(format.fileEnding)"
        }
    }
}

extension Track {
    /// Whether more of the track will come.
    fileprivate var isPartial: Bool {
        missingChunkCount > 0 || status == .recording || status == .paused
    }
}
