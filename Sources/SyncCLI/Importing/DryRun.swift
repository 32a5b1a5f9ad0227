internal import Glibc
import SyncCore

/// What a dry run took in so far, so that each file is judged beside those before it.
///
/// The tracks go to a replica of their own in a temporary folder, for they may be many; the person's
/// is only read. A program that is killed leaves the folder to whoever empties the temporary ones:
/// nothing tells it from one that another program has just made and not yet opened.
actor DryRun {
    let library: Library
    /// Tracks that would be in the trash by now.
    private(set) var replaced: Set<Identifier> = []

    /// Begins with nothing, in a new folder under `TMPDIR` or `/tmp`.
    init(_ context: Context) async throws {
        let place = context.variable("TMPDIR") ?? "/tmp"
        var path = Array("\(place)/wake-\(String(repeating: "X", count: 6))".utf8CString)
        guard unsafe mkdtemp(&path) != nil else { throw FileError.last(.make, place) }
        let folder = String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        do {
            library = try await Self.library(in: folder, context)
        } catch {
            Self.remove(folder)
            throw error
        }
    }

    private static func library(in folder: String, _ context: Context) async throws -> Library {
        let file = Library.path(in: folder)
        var random = context.random
        try Replica.create(at: file, name: "dry run", using: &random)
        let replica = try Replica(path: file)
        return Library(
            folder: folder,
            replica: replica,
            space: try await replica.read { try $0.spaces.own() },
            presenters: context.presenters
        )
    }

    /// Takes a track in that would be new.
    func take(
        _ track: ImportedTrack,
        as name: ImportName,
        replacing others: [Identifier],
        now: UnixTime
    ) async throws {
        let (replica, space) = (library.replica, library.space)
        _ = try await replica.write {
            try $0.imports.insert(track, as: name, into: space, now: now)
        }
        replaced.formUnion(others)
    }

    /// Removes the folder.
    nonisolated func end() { Self.remove(library.folder) }

    private static func remove(_ folder: String) {
        for name in (try? Folder.names(in: folder)) ?? [] where name.first != "." {
            unsafe unlink(folder + "/" + name)
        }
        unsafe rmdir(folder)
    }
}
