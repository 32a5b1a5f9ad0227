internal import SyncCore

/// Puts sets at the end of one space's log, inside the caller's transaction.
struct LogAppend {
    let space: Identifier
    private let device: Device
    private let now: UnixTime
    private let receipts: MACKey
    let database: Database
    private var authors: [Identifier: Author] = [:]
    private var head: UInt64
    private var chain: Digest
    private var greatest: UInt64

    /// A person whose sets are judged.
    private struct Author {
        let user: Identifier
        let role: Role
        let devices: Set<Identifier>
    }

    /// Locks the space's counter; ``StoreError/notFound`` unless the person is a member.
    init(
        _ space: Identifier,
        by device: Device,
        at now: UnixTime,
        receipts: MACKey,
        _ database: Database
    ) throws {
        self.space = space
        self.device = device
        self.now = now
        self.receipts = receipts
        self.database = database
        let counter = try database.first(
            "SELECT head, chain, greatest FROM space WHERE space_id = $1",
            .id(space)
        ) { ($0.unsigned(0), $0.digest(1), $0.unsigned(2)) }
        guard let counter else { throw StoreError.notFound }
        (head, chain, greatest) = counter
        _ = try author(device)
    }

    private mutating func author(_ device: Device) throws -> Author {
        if let author = authors[device.user] { return author }
        let devices = try database.all(
            "SELECT device_id FROM device WHERE user_id = $1",
            .id(device.user)
        ) { $0.id(0) }
        let author = Author(
            user: device.user,
            role: try SQLiteStore.role(of: device.user, in: space, database),
            devices: Set(devices)
        )
        authors[device.user] = author
        return author
    }

    /// Appends one set of the calling device, or tells why not; what it tells of a set that is there
    /// already is what was told before.
    mutating func callAsFunction(_ pushed: PushedSet) throws -> PushResult {
        if let before = try judged(pushed.upload) { return before }
        return try append(pushed, by: device)
    }

    /// Judges a set and appends it.
    mutating func append(_ pushed: PushedSet, by device: Device) throws -> PushResult {
        let header = pushed.upload.header
        let last = try SQLiteStore.head(of: header.replica, in: space, database)
        let expected = (last?.sequence ?? 0) + 1
        guard try isFree(header.replica, for: device.id), try !isClosed(header.replica) else {
            return .failed(.fork, expected)
        }
        guard header.sequence <= expected else { return .failed(.sequenceGap, expected) }
        guard header.sequence == expected, header.previous == last?.hash ?? .zero else {
            return .failed(.fork, expected)
        }
        let (verdict, reason) = judge(pushed, try author(device))
        if verdict != .refused {
            guard try isWhole(pushed) else { return .failed(.chunksMissing, expected) }
            try storeChunks(pushed.chunks, of: header)
        }
        try claim(header.replica, for: device.id)
        try advanceHead(pushed.upload)
        return try append(pushed.upload, body: pushed.body, verdict, reason)
    }

    /// Stores the counter; call once after the last set.
    func finish() throws {
        try database.run(
            "UPDATE space SET head = $2, chain = $3, greatest = $4 WHERE space_id = $1",
            .id(space),
            .unsigned(head),
            .digest(chain),
            .unsigned(greatest)
        )
    }

    /// What was told of a set that is in the log.
    func judged(_ upload: Upload) throws -> PushResult? {
        try database.first(
            """
            SELECT position, verdict, reason FROM log
            WHERE space_id = $1 AND replica_id = $2 AND sequence = $3 AND hash = $4
                AND admin IS NULL
            """,
            .id(space),
            .id(upload.header.replica),
            .unsigned(upload.header.sequence),
            .digest(upload.hash)
        ) {
            .judged(
                position: $0.unsigned(0),
                Verdict(rawValue: $0.unsigned(1)) ?? .refused,
                reason: $0.text(2)
            )
        }
    }

    /// A replica belongs to one device from its first set on, server-wide.
    func isFree(_ replica: Identifier, for device: Identifier) throws -> Bool {
        let owner = try database.first(
            "SELECT device_id FROM replica_owner WHERE replica_id = $1",
            .id(replica)
        ) { $0.id(0) }
        return owner == nil || owner == device
    }

    func claim(_ replica: Identifier, for device: Identifier) throws {
        try database.run(
            """
            INSERT INTO replica_owner (replica_id, device_id) VALUES ($1, $2)
            ON CONFLICT DO NOTHING
            """,
            .id(replica),
            .id(device)
        )
    }

    /// Whether two sets go by one of its names, so that it takes no more.
    private func isClosed(_ replica: Identifier) throws -> Bool {
        try database.first(
            "SELECT 1 FROM replica_head WHERE space_id = $1 AND replica_id = $2 AND closed = 1",
            .id(space),
            .id(replica)
        ) { _ in true } ?? false
    }

    /// Whether each chunk of the set came along or is here: else nothing is judged, so that what
    /// was acknowledged is whole.
    private func isWhole(_ pushed: PushedSet) throws -> Bool {
        try pushed.upload.header.chunks.allSatisfy {
            try pushed.chunks[$0.hash] != nil
                || SQLiteStore.hasChunk($0.hash, in: space, database)
        }
    }

    func storeChunks(_ chunks: [Digest: [UInt8]], of header: Header) throws {
        for name in header.chunks {
            guard let bytes = chunks[name.hash] else { continue }
            try SQLiteStore.insertChunk(bytes, name.hash, in: space, database)
        }
    }

    private func judge(
        _ pushed: PushedSet,
        _ author: Author
    ) -> (verdict: Verdict, reason: String) {
        let policy = AdmissionPolicy(
            role: author.role,
            user: author.user,
            devices: author.devices,
            greatest: greatest,
            now: now,
            collections: .standard
        )
        return policy.verdict(on: pushed)
    }

    /// Puts a set with its verdict at the end of the log.
    mutating func append(
        _ upload: Upload,
        body: [UInt8]?,
        _ verdict: Verdict,
        _ reason: String
    ) throws -> PushResult {
        let receipt = advance(upload, .verdict(verdict))
        try database.run(
            """
            INSERT INTO log (space_id, position, replica_id, sequence, hash, verdict, reason,
                receipt, chain, upload, body, received)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            """,
            .id(space),
            .unsigned(head),
            .id(upload.header.replica),
            .unsigned(upload.header.sequence),
            .digest(upload.hash),
            .unsigned(verdict.rawValue),
            .text(reason),
            .blob(receipt),
            .digest(chain),
            .blob(upload.bytes),
            .optional(body, SQLiteValue.blob),
            .integer(now.milliseconds)
        )
        return .judged(position: head, verdict, reason: reason)
    }

    /// Puts the adoption of a held set at the end of the log; returns its position.
    mutating func append(_ held: Upload, adoptedBy admin: Identifier) throws -> UInt64 {
        let receipt = advance(held, .adopted(admin: admin))
        try database.run(
            """
            INSERT INTO log (space_id, position, replica_id, sequence, hash, verdict, reason,
                receipt, chain, admin, received)
            VALUES ($1, $2, $3, $4, $5, $6, '', $7, $8, $9, $10)
            """,
            .id(space),
            .unsigned(head),
            .id(held.header.replica),
            .unsigned(held.header.sequence),
            .digest(held.hash),
            .unsigned(Verdict.accepted.rawValue),
            .blob(receipt),
            .digest(chain),
            .id(admin),
            .integer(now.milliseconds)
        )
        return head
    }

    /// Moves the counter on by one judgement; returns its receipt.
    private mutating func advance(_ upload: Upload, _ judgement: SetName.Judgement) -> [UInt8] {
        head += 1
        chain = LogChain.link(after: chain, upload.name, judgement)
        if judgement.counts { greatest = max(greatest, upload.header.stamps.upperBound) }
        return receipts.tag(of: upload.name.judged(judgement))
    }

    /// Makes a set the last one of its replica.
    func advanceHead(_ upload: Upload) throws {
        try database.run(
            """
            INSERT INTO replica_head (space_id, replica_id, sequence, hash)
            VALUES ($1, $2, $3, $4) ON CONFLICT (space_id, replica_id)
            DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash
            """,
            .id(space),
            .id(upload.header.replica),
            .unsigned(upload.header.sequence),
            .digest(upload.hash)
        )
    }
}

extension PushResult {
    static func failed(_ type: ProblemType, _ expected: UInt64) -> PushResult {
        .failed(problem: type.rawValue, sequence: expected)
    }
}
