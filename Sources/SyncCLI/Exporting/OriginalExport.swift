import ProgramKit
import SyncCore

/// Exports the original files of tracks, each once, byte for byte.
struct OriginalExport: Sendable {
    /// The value of `--format`.
    static let format = "original"

    let library: Library
    /// Whether the user named the tracks; only then is a track without a file an error.
    let areNamed: Bool
    /// Whether existing files are overwritten.
    let replaces: Bool
    let context: Context

    /// The result for one file.
    private struct Entry {
        let original: Original
        let path: String
        let isNew: Bool

        var json: JSON {
            .object([
                ("file", .text(path)), ("isNew", .bool(isNew)),
                ("bytes", .integer(original.byteCount)), ("name", .text(original.name)),
                ("sha256", .text(original.digest.description)),
            ])
        }
    }

    /// Writes the files; fails if one is incomplete here, or if a named track has none.
    func write(_ tracks: [Track], to target: TrackExport.Target) async throws -> ExitCode {
        var (originals, without): ([Original], [Track]) = ([], [])
        var seen: Set<Digest> = []
        for track in tracks {
            let original = try await library.replica.read {
                try $0.originals.find(of: track.id, in: library.space)
            }
            guard let original else {
                without.append(track)
                continue
            }
            if seen.insert(original.digest).inserted { originals.append(original) }
        }
        tell(without)
        do {
            let isWhole = try await write(originals, to: target)
            return isWhole && (without.isEmpty || !areNamed) ? .success : .failure
        } catch is TrackExport.Interrupted {
            throw UserError.failure(
                "interrupted; not all files were written",
                hint: "run the same command again to continue"
            )
        }
    }

    private func write(
        _ originals: [Original],
        to target: TrackExport.Target
    ) async throws -> Bool {
        if case .folder(let folder) = target { return try await write(originals, toFolder: folder) }
        guard originals.count == 1 else { throw Self.notOne(originals.count) }
        try await write(originals[0], to: target)
        return true
    }

    private func tell(_ without: [Track]) {
        guard areNamed else {
            let count = without.count.counted("track")
            if !without.isEmpty { context.output.note("no original file is kept for \(count)") }
            return
        }
        for track in without {
            context.output.warn("no original file is kept for \(track.label)")
        }
    }

    private static func notOne(_ count: Int) -> UserError {
        count == 0
            ? UserError.notFound("there is no original file to write")
            : UserError.usage(
                "the tracks come from \(count) files",
                hint: "use --folder DIR to write them all, or name one track"
            )
    }

    private func write(_ original: Original, to target: TrackExport.Target) async throws {
        guard case .file(let path) = target else {
            return try await read(original) { [write = context.output.write] replica in
                try replica.originals.read(original, in: library.space, write)
            }
        }
        try await write(original, to: path)
        tell([Entry(original: original, path: path, isNew: true)], to: path)
    }

    private func write(_ original: Original, to path: String) async throws {
        let isOver = context.catchInterrupts()
        try await read(original) { replica in
            let file = try OutputFile(path, replaces: replaces)
            try replica.originals.read(original, in: library.space) { piece in
                guard !isOver() else { throw TrackExport.Interrupted() }
                try file.write(piece)
            }
            try file.finish()
        }
    }

    /// Reads a file; describes missing or damaged chunks for the user.
    private func read(
        _ original: Original,
        _ work: @Sendable (ReplicaParts) throws -> Void
    ) async throws {
        let name = original.name.isEmpty ? "a file without a name" : original.name.withoutControls
        do {
            try await library.replica.stream(work)
        } catch OriginalError.missing {
            throw UserError.failure(
                "\(name) is not complete on this device",
                hint: "'wake sync' fetches what is missing"
            )
        } catch OriginalError.damaged {
            throw UserError.failure(
                "\(name) was not written: the stored file differs from the imported one",
                hint: "'wake doctor' checks for damage"
            )
        }
    }

    private func write(_ originals: [Original], toFolder folder: String) async throws -> Bool {
        try Folder.make(folder)
        let progress = Progress(
            "export",
            total: originals.count,
            unit: .items("files"),
            context: context
        )
        var entries: [Entry] = []
        var userErrors: [UserError] = []
        do {
            defer { progress.end() }
            for original in originals {
                progress.update(done: entries.count)
                let path = folder + "/" + TrackFileName.name(ofFile: original.name, original.digest)
                let isNew = replaces || !OutputFile.isTaken(path)
                do {
                    if isNew { try await write(original, to: path) }
                    entries.append(Entry(original: original, path: path, isNew: isNew))
                } catch let userError as UserError {
                    userErrors.append(userError)
                }
            }
        }
        tell(entries, to: folder)
        for userError in userErrors { context.output.report(userError) }
        return userErrors.isEmpty
    }

    private func tell(_ entries: [Entry], to path: String) {
        let written = entries.count(where: \.isNew)
        context.output.result(.object([("files", .array(entries.map(\.json)))])) {
            "wrote \(written.counted("file")) to \(path)"
                + (written < entries.count ? ", \(entries.count - written) already there" : "")
                + "\n"
        }
    }
}
