internal import Glibc
import SyncCore

/// The state of a dry run, so that duplicates among its own files are detected too.
///
/// New tracks go to a replica in a temporary folder, as there may be many; the user's replica is
/// only read. A killed program leaves the folder behind. No later run deletes it, because it
/// cannot be told from the new folder of another running program.
actor DryRun {
    let library: Library
    /// The tracks that the import would have moved to the trash so far.
    private(set) var replaced: Set<Identifier> = []

    /// Creates an empty state in a new folder under `TMPDIR` or `/tmp`.
    init(_ context: Context) async throws {
        let place = context.variable("TMPDIR") ?? "/tmp"
        var path = Array("\(place)/wake-\(String(repeating: "X", count: 6))".utf8CString)
        guard unsafe mkdtemp(&path) != nil else { throw FileError.last(.make, place) }
        let folder = String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        do {
            let file = Library.path(in: folder)
            var random = context.random
            try Replica.create(at: file, name: "dry run", now: context.now(), using: &random)
            library = try await Library(Replica(path: file), in: folder, context.presenters)
        } catch {
            Self.remove(folder)
            throw error
        }
    }

    /// Inserts a track that would be new.
    func take(
        _ track: ImportedTrack,
        as name: ImportName,
        replacing others: [Identifier],
        now: Moment
    ) async throws {
        let (replica, space) = (library.replica, library.space)
        _ = try await replica.write {
            try $0.imports.insert(track, as: name, into: space, now: now)
        }
        replaced.formUnion(others)
    }

    nonisolated func end() { Self.remove(library.folder) }

    private static func remove(_ folder: String) {
        for name in (try? Folder.names(in: folder)) ?? [] where name.first != "." {
            unsafe unlink(folder + "/" + name)
        }
        unsafe rmdir(folder)
    }
}
