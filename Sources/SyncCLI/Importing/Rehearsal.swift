internal import Glibc
import SyncCore

/// What a dry run took in so far, so that each file is judged beside those before it.
///
/// The tracks go to a replica of their own in a temporary folder, for they may be many; the person's
/// is only read.
actor Rehearsal {
    let library: Library
    /// Tracks that would be in the trash by now.
    private(set) var replaced: Set<Identifier> = []

    /// Begins with nothing, in a new folder under `TMPDIR` or `/tmp`.
    init(_ context: Context) async throws {
        let place = context.variable("TMPDIR") ?? "/tmp"
        var path = Array("\(place)/wake-\(String(repeating: "X", count: 6))".utf8CString)
        guard unsafe mkdtemp(&path) != nil else { throw FileError.last(.make, place) }
        let folder = String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let file = Library.path(in: folder)
        var random = context.random
        try Replica.create(at: file, name: "rehearsal", using: &random)
        let replica = try Replica(path: file)
        library = Library(folder: folder, replica: replica, space: try await replica.ownSpace())
    }

    /// Takes a track in that would be new.
    func take(
        _ track: ImportedTrack,
        as name: ImportName,
        replacing others: [Identifier],
        now: UnixTime
    ) async throws {
        let (replica, space) = (library.replica, library.space)
        _ = try await replica.importTrack(track, as: name, into: space, now: now)
        replaced.formUnion(others)
    }

    /// Removes the folder.
    nonisolated func end() {
        for name in (try? Folder.names(in: library.folder)) ?? [] where name.first != "." {
            unsafe unlink(library.folder + "/" + name)
        }
        unsafe rmdir(library.folder)
    }
}
