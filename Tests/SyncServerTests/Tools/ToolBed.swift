import Foundation
import SyncCore
import Testing

@testable import SyncServer

/// A server's folder with a space in it that has a few sets, one with a chunk, the space of a
/// stranger, and its tools.
struct ToolBed: Sendable {
    let bed: RouteBed
    let folder: DataFolder
    private(set) var author: Author

    /// 2026-04-24.
    let now = UnixTime(milliseconds: 1_777_000_000_000)

    init(sets: Int = 3) async throws {
        bed = try await RouteBed()
        folder = try DataFolder(bed.server.folder.path)
        author = bed.author
        for _ in 1..<sets { try await append() }
    }

    /// Appends a further set.
    mutating func append() async throws {
        _ = try await bed.server.store.append(
            [try author.push()],
            to: author.space,
            by: author.row,
            at: now
        )
    }

    /// The heads of the spaces if the author's has so many sets after its control sets.
    func heads(sets: UInt64) -> [Identifier: UInt64] {
        [
            author.space: author.person.controls + sets,
            bed.stranger.space: bed.stranger.person.controls,
        ]
    }

    /// How many entries the log of all spaces has then.
    func entryCount(sets: UInt64) -> Int { Int(heads(sets: sets).values.reduce(0, +)) }

    /// All chunks that sets name: the author's one, and the wraps of both spaces.
    var chunks: [(author: Author, bytes: [UInt8])] {
        [(author, bed.chunk.bytes)]
            + [author, bed.stranger].flatMap { person in
                person.person.chunks.map { (person, $0) }
            }
    }

    /// A path beside the store.
    func path(_ name: String) -> String { folder.path + "/" + name }

    func backup(_ name: String = "backup.db", at time: UnixTime? = nil) -> Backup {
        Backup(
            folder: folder,
            keys: Author.serverKeys,
            file: path(name),
            now: time ?? now
        )
    }

    /// What puts backups back, into this folder or another one.
    func restore(
        into other: DataFolder? = nil,
        keys: ServerKeys = Author.serverKeys
    ) -> Restore {
        Restore(
            folder: other ?? folder,
            keys: keys,
            newEpoch: Self.newEpoch,
            now: now
        )
    }

    func doctor(of path: String? = nil, now time: UnixTime? = nil) -> Doctor {
        Doctor(path: path ?? folder.path, now: time ?? now)
    }

    static let newEpoch = Identifier(number: 0xE0C)

    /// The store's file, opened beside whoever has it open.
    func database(_ path: String? = nil) throws -> Database {
        try Database(path: path ?? folder.store)
    }

    /// Flips bits of the checksum of a page of a file, so that nothing else is wrong.
    func flip(_ bits: UInt8, inPage page: UInt64, of path: String? = nil) throws {
        try database(path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let file = try FileHandle(forUpdating: URL(filePath: path ?? folder.store))
        defer { try? file.close() }
        let place = page * 4096 - 1
        try file.seek(toOffset: place)
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: place)
        try file.write(contentsOf: [byte ^ bits])
    }

    /// What a file has of the log, entry by entry.
    func log(_ path: String? = nil) throws -> [[UInt8]] {
        try database(path).all(
            "SELECT hash, receipt, chain, upload, coalesce(body, '') FROM log ORDER BY position"
        ) { row in (0..<5).flatMap { row.blob($0) } }
    }

    func epoch(_ path: String? = nil) throws -> Identifier? {
        try database(path).first("SELECT epoch FROM server") { $0.id(0) }
    }
}

extension [SpaceExtent] {
    /// The heads by space.
    var heads: [Identifier: UInt64] {
        Dictionary(uniqueKeysWithValues: map { ($0.space, $0.head) })
    }
}

/// The names in a folder.
func names(in folder: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder))
}
