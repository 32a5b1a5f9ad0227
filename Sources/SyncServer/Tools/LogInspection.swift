internal import SyncCore

/// One row of a store's log.
struct LogRow {
    let position: UInt64
    let replica: Identifier
    let sequence: UInt64
    let hash: Digest
    let verdict: Verdict?
    let receipt: [UInt8]
    let chain: Digest
    /// Nil where another set is adopted.
    let upload: [UInt8]?
    let body: [UInt8]?
    /// The device that adopted the set.
    let admin: Identifier?

    static let query: StaticString = """
        SELECT position, replica_id, sequence, hash, verdict, receipt, chain, upload, body, admin
        FROM log WHERE space_id = $1 ORDER BY position
        """

    init(_ row: Statement) {
        position = row.unsigned(0)
        replica = row.id(1)
        sequence = row.unsigned(2)
        hash = row.digest(3)
        verdict = Verdict(rawValue: row.unsigned(4))
        receipt = row.blob(5)
        chain = row.digest(6)
        upload = row.isNull(7) ? nil : row.blob(7)
        body = row.isNull(8) ? nil : row.blob(8)
        admin = row.isNull(9) ? nil : row.id(9)
    }

    func name(in space: Identifier) -> SetName {
        SetName(space: space, replica: replica, sequence: sequence, hash: hash)
    }
}

/// One space's log while it is read from its first entry to its last.
struct LogInspection {
    private let space: Identifier
    private let keys: ServerKeys
    private let database: Database
    private let receipts: MACKey
    private var sealKeys: [DeviceEpoch: MACKey] = [:]
    private var position: UInt64 = 0
    private var chain = Digest.zero
    private var heads: [Identifier: ReplicaHead] = [:]
    /// Replicas of which two sets go by one name: their order says nothing.
    private var closed: Set<Identifier> = []
    private var held: [SetName: [ChunkName]] = [:]

    private(set) var findings = Findings()
    /// Chunks that are named and are not there.
    private(set) var lacking: Set<ChunkPlace> = []
    /// The position before the first entry that names one of these.
    private var whole: UInt64?

    private struct DeviceEpoch: Hashable {
        let device: Identifier
        let epoch: UInt64
    }

    init(_ space: Identifier, _ keys: ServerKeys, _ database: Database) {
        self.space = space
        self.keys = keys
        self.database = database
        receipts = MACKey(keys.receiptSecret.bytes)
    }

    /// Checks the next row.
    mutating func inspect(_ row: LogRow) throws {
        if row.position != position + 1 {
            note(.chains, "position \(row.position) follows \(position)")
        }
        position = row.position
        if let judgement = try judgement(of: row) {
            checkJudged(row, judgement)
        } else {
            note(.chains, "position \(row.position) is neither a set nor an adoption")
        }
        chain = row.chain
    }

    /// Compares the log's end with what the store says of it, and tells how far it is whole.
    mutating func finish(_ extent: SpaceExtent) throws -> SpaceExtent {
        if position != extent.head {
            note(.chains, "the log ends at \(position), and its head is \(extent.head)")
        }
        if chain != extent.chain { note(.chains, "the link at \(position) is not the head's") }
        var told: [Identifier: ReplicaHead] = [:]
        try database.each(
            "SELECT replica_id, sequence, hash FROM replica_head WHERE space_id = $1",
            .id(space)
        ) { told[$0.id(0)] = ReplicaHead(sequence: $0.unsigned(1), hash: $0.digest(2)) }
        for replica in Set(heads.keys).union(told.keys).subtracting(closed).sorted()
        where heads[replica] != told[replica] {
            note(.heads, "the last set of replica \(replica) is not the one that is told")
        }
        var extent = extent
        extent.whole = whole ?? extent.head
        return extent
    }

    private mutating func judgement(of row: LogRow) throws -> SetName.Judgement? {
        guard let admin = row.admin else {
            guard let bytes = row.upload, let verdict = row.verdict else { return nil }
            try checkSet(bytes, row, verdict)
            return .verdict(verdict)
        }
        if let chunks = held[row.name(in: space)] {
            try noteLacking(chunks, at: row.position)
        } else {
            note(.chains, "position \(row.position) adopts a set that was not held before")
        }
        return .adopted(admin: admin)
    }

    private mutating func checkJudged(_ row: LogRow, _ judgement: SetName.Judgement) {
        let name = row.name(in: space)
        if LogChain.link(after: chain, name, judgement) != row.chain {
            note(.chains, "the link at position \(row.position) is wrong")
        }
        if !receipts.verifies(row.receipt, of: name.judged(judgement)) {
            note(.receipts, "the receipt at position \(row.position) is not this server's")
        }
    }

    private mutating func checkSet(_ bytes: [UInt8], _ row: LogRow, _ verdict: Verdict) throws {
        let upload: Upload
        do {
            upload = try Upload(parsing: bytes)
        } catch {
            return note(.seals, "the set at position \(row.position) cannot be read: \(error)")
        }
        if upload.name != row.name(in: space) {
            note(.seals, "the set at position \(row.position) has another name")
        }
        if let body = row.body, Digest(of: body) != upload.header.bodyHash {
            note(.seals, "the body at position \(row.position) is another set's")
        }
        if !isSealed(upload) {
            note(.seals, "the set at position \(row.position) was not sealed by its device")
        }
        try checkPlace(of: upload, at: row.position)
        switch verdict {
        case .accepted: try noteLacking(upload.header.chunks, at: row.position)
        case .held: held[upload.name] = upload.header.chunks
        case .refused: break
        }
    }

    private mutating func isSealed(_ upload: Upload) -> Bool {
        let signer = DeviceEpoch(device: upload.header.device, epoch: upload.outer.keyEpoch)
        if sealKeys[signer] == nil {
            let secret = keys.deviceSecret(of: signer.device, epoch: signer.epoch)
            sealKeys[signer] = DeviceKeys(device: signer.device, secrets: [signer.epoch: secret])
                .macKey(epoch: signer.epoch)
        }
        return sealKeys[signer].map { upload.outer.verifies(with: $0, for: .device) } ?? false
    }

    /// A replica's sets come one after the other, unless it is closed.
    private mutating func checkPlace(of upload: Upload, at position: UInt64) throws {
        let header = upload.header
        let last = heads[header.replica]
        let follows =
            header.sequence == (last?.sequence ?? 0) + 1
            && header.previous == last?.hash ?? .zero
        if !follows, !closed.contains(header.replica) {
            if try isClosed(header.replica) {
                closed.insert(header.replica)
            } else {
                note(.heads, "the set at position \(position) does not follow its replica's last")
            }
        }
        heads[header.replica] = ReplicaHead(sequence: header.sequence, hash: upload.hash)
    }

    private func isClosed(_ replica: Identifier) throws -> Bool {
        try database.first(
            "SELECT closed FROM replica_head WHERE space_id = $1 AND replica_id = $2",
            .id(space),
            .id(replica)
        ) { $0.integer(0) == 1 } ?? false
    }

    private mutating func noteLacking(_ chunks: [ChunkName], at position: UInt64) throws {
        for chunk in chunks where try !SQLiteStore.hasChunk(chunk.hash, in: space, database) {
            lacking.insert(ChunkPlace(space: space, hash: chunk.hash))
            if whole == nil { whole = position - 1 }
        }
    }

    private mutating func note(_ check: Findings.Check, _ text: String) {
        findings.note(check, "space \(space): \(text)")
    }
}
