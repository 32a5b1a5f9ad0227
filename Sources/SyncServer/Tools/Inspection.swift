internal import SyncCore

/// The verification of a whole store.
struct Inspection: Sendable {
    /// Receives the number of entries and chunks read so far, and their total.
    typealias Observer = @Sendable (_ done: Int, _ total: Int) -> Void

    /// The faults; a missing chunk is not one.
    private(set) var findings = Findings()
    /// The end of each space's log, ascending by id.
    private(set) var spaces: [SpaceExtent] = []
    /// The chunks whose bytes do not match their hash.
    private(set) var wrongChunks: [ChunkPlace] = []
    /// The chunks that the log names and the store lacks.
    private(set) var lackingChunks: Set<ChunkPlace> = []
    private(set) var chunkCount = 0
    /// The number of accepted sets without a body.
    private(set) var bodilessCount = 0
    /// The number of sets that are lost until a device brings them.
    private(set) var lostCount = 0
    private let keys: ServerKeys
    private let observe: Observer
    private var done = 0
    private var total = 0

    /// Reads and verifies everything.
    ///
    /// - Parameter keys: the keys of the server that owns the store.
    init(
        of store: any StoreSnapshot,
        keys: ServerKeys,
        observe: @escaping Observer = { _, _ in }
    ) throws {
        self.keys = keys
        self.observe = observe
        for fault in try store.structureFaults() { findings.note(.structure, fault) }
        // The results of reading a structurally damaged file would mean nothing.
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
            spaces.append(try log.finish(extent))
            findings.merge(log.findings)
            lackingChunks.formUnion(log.lacking)
            bodilessCount += log.bodilessCount
            lostCount += log.lostCount
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
