internal import SyncCore

/// A store, read as a whole, and what could be recomputed of it.
struct Inspection: Sendable {
    /// Told how many of how many entries and chunks were read.
    typealias Observer = @Sendable (_ done: Int, _ total: Int) -> Void

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
        of store: any StoreSnapshot,
        keys: ServerKeys,
        observe: @escaping Observer = { _, _ in }
    ) throws {
        self.keys = keys
        self.observe = observe
        for fault in try store.structureFaults() { findings.note(.structure, fault) }
        // Of a file whose pages do not fit together the rest would be guessing.
        guard findings.isEmpty else { return }
        total = try store.itemCount()
        try readLogs(store)
        try readChunks(store)
    }

    private mutating func step() {
        done += 1
        observe(done, total)
    }

    private mutating func readLogs(_ store: any StoreSnapshot) throws {
        for extent in try store.spaces() {
            var log = try LogInspection(extent.space, keys, store)
            try store.eachEntry(of: extent.space) { row in
                try log.inspect(row)
                step()
            }
            spaces.append(log.finish(extent))
            findings.merge(log.findings)
            lackingChunks.formUnion(log.lacking)
        }
        for stray in try store.straySpaces() {
            findings.note(.chains, "there are log entries of an unknown space \(stray)")
        }
    }

    private mutating func readChunks(_ store: any StoreSnapshot) throws {
        try store.eachChunk { place, bytes in
            step()
            chunkCount += 1
            guard Digest(of: bytes) != place.hash else { return }
            wrongChunks.append(place)
            let words =
                "space \(place.space): the bytes of chunk \(place.hash) do not match its hash"
            findings.note(.chunks, words)
        }
    }
}
