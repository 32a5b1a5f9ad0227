internal import SyncCore

/// A store's file, read as a whole, and what could be recomputed of it.
struct Inspection {
    /// Told how many of how many entries and chunks were read.
    typealias Observer = (_ done: Int, _ total: Int) -> Void

    /// What is wrong; a chunk that is not there is not.
    private(set) var findings = Findings()
    /// What there is of each space, ascending by id.
    private(set) var spaces: [SpaceExtent] = []
    /// Chunks whose bytes have another hash.
    private(set) var wrongChunks: [ChunkPlace] = []
    /// Chunks that the log names and that are not there.
    private(set) var lackingChunks: Set<ChunkPlace> = []
    /// How many chunks there are.
    private(set) var chunkCount = 0
    private let keys: ServerKeys
    private let observe: Observer
    private var done = 0
    private var total = 0

    /// Reads everything.
    ///
    /// - Parameter keys: those of the server whose store it is.
    init(
        of database: Database,
        keys: ServerKeys,
        observe: @escaping Observer = { _, _ in }
    ) throws {
        self.keys = keys
        self.observe = observe
        try database.read {
            try readStructure(database)
            // Of a file whose pages do not fit together the rest would be guessing.
            guard findings.isEmpty else { return }
            total =
                try database.first(
                    "SELECT (SELECT count(*) FROM log) + (SELECT count(*) FROM chunk)"
                ) { Int($0.integer(0)) } ?? 0
            try readLogs(database)
            try readChunks(database)
        }
    }

    private mutating func step() {
        done += 1
        observe(done, total)
    }

    private mutating func readStructure(_ database: Database) throws {
        do {
            let lines = try database.all("PRAGMA integrity_check(10)") { $0.text(0) }
            for line in lines where line != "ok" { findings.note(.structure, line) }
        } catch let error as DatabaseError where error.kind == .corrupt {
            findings.note(.structure, error.message)
        }
    }

    private mutating func readLogs(_ database: Database) throws {
        let told = try database.all("SELECT space_id, head, chain FROM space ORDER BY space_id") {
            SpaceExtent(space: $0.id(0), head: $0.unsigned(1), chain: $0.digest(2))
        }
        for extent in told {
            var log = LogInspection(extent.space, keys, database)
            try database.each(LogRow.query, .id(extent.space)) { row in
                try log.inspect(LogRow(row))
                step()
            }
            spaces.append(try log.finish(extent))
            findings.merge(log.findings)
            lackingChunks.formUnion(log.lacking)
        }
        let strays = try database.all(
            "SELECT DISTINCT space_id FROM log WHERE space_id NOT IN (SELECT space_id FROM space)"
        ) { $0.id(0) }
        for stray in strays { findings.note(.chains, "there are entries of no space, \(stray)") }
    }

    private mutating func readChunks(_ database: Database) throws {
        try database.each("SELECT space_id, hash, bytes FROM chunk") { row in
            step()
            chunkCount += 1
            let place = ChunkPlace(space: row.id(0), hash: row.digest(1))
            guard Digest(of: row.blob(2)) != place.hash else { return }
            wrongChunks.append(place)
            let words = "space \(place.space): the bytes of chunk \(place.hash) have another hash"
            findings.note(.chunks, words)
        }
    }
}

/// A chunk's place in a store.
struct ChunkPlace: Hashable, Sendable {
    let space: Identifier
    let hash: Digest
}

/// How far the log of a space goes.
struct SpaceExtent: Hashable, Sendable {
    let space: Identifier
    /// Its last position.
    let head: UInt64
    /// The link there.
    let chain: Digest
    /// The last position up to which every chunk that is named is there, where that is known.
    var whole: UInt64?
}
