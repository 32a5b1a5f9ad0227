internal import SyncCore

extension LogAppend {
    /// Appends a set that an earlier log had, or tells why not.
    ///
    /// Where its receipt proves what was said of it, that is said again, in whatever order sets come,
    /// and chunks that nobody brings are wanted; anything else is judged as if its author had
    /// pushed it now.
    mutating func refill(_ set: RefilledSet) throws -> PushResult {
        if let before = try judged(set.upload) {
            try keepBody(of: set)
            return try adoptAgain(set, before) ?? before
        }
        guard let proven = set.proven else { return try judgeAnew(set) }
        let header = set.upload.header
        let last = try SQLiteStore.head(of: header.replica, in: space, database)
        let expected = (last?.sequence ?? 0) + 1
        let isSquatted = try !isFree(header.replica, for: header.device)
        let verdict: Verdict
        switch proven {
        case .verdict(let earlier): verdict = earlier
        case .adopted: verdict = .accepted
        }
        // Nothing drops bodies yet: who leaves one out would erase it for all who come later, so
        // the set waits for who has it.
        guard verdict != .accepted || set.body != nil else {
            return .failed(.sequenceGap, expected)
        }
        if isSquatted { try release(header.replica) }
        try claim(header.replica, for: header.device)
        if try isTaken(header) { try close(header.replica) }
        // What stood before may be lost for good: no chain waits for it.
        if header.sequence >= expected { try advanceHead(set.upload) }
        if isSquatted { try close(header.replica) }
        if verdict == .accepted {
            try storeChunks(set.chunks, of: header)
            for chunk in header.chunks { try SQLiteStore.want(chunk.hash, in: space, database) }
        }
        let isKnown = verdict != .accepted && Self.reasons.contains(set.reason)
        return try append(set.upload, body: set.body, verdict, isKnown ? set.reason : "")
    }

    /// What a server of ours says; no receipt covers it.
    private static let reasons: Set<String> = ["clock", "role", "schema", "upgrade", "quota"]

    /// Where the log has a set as held whose adoption it lost, makes that again.
    private mutating func adoptAgain(
        _ set: RefilledSet,
        _ before: PushResult
    ) throws -> PushResult? {
        guard case .adopted(let admin) = set.proven,
            case .judged(let held, .held, _) = before
        else { return nil }
        if let position = try adoption(of: set.upload) {
            return .judged(position: position, .accepted, reason: "")
        }
        do {
            try storeChunks(set.chunks, of: set.upload.header)
            let position = try adopt(heldAt: held, by: admin)
            return .judged(position: position, .accepted, reason: "")
        } catch StoreError.withoutBody {
            return nil
        }
    }

    private mutating func judgeAnew(_ set: RefilledSet) throws -> PushResult {
        let header = set.upload.header
        guard let body = set.body, let content = set.content else {
            return .failed(.badEncoding, 0)
        }
        guard let author = try SQLiteStore.device(header.device, database), !author.isRevoked else {
            return .failed(.unauthorized, 0)
        }
        let pushed = PushedSet(
            upload: set.upload,
            body: body,
            content: content,
            chunks: set.chunks
        )
        do {
            return try append(pushed, by: author)
        } catch StoreError.notFound {
            return .failed(.notFound, 0)
        }
    }

    /// Whoever brought a held set before may not have had its body; only its author has.
    private func keepBody(of set: RefilledSet) throws {
        guard let body = set.body else { return }
        try database.run(
            """
            UPDATE log SET body = $5 WHERE space_id = $1 AND replica_id = $2 AND sequence = $3
                AND hash = $4 AND admin IS NULL AND body IS NULL AND verdict = 1
            """,
            .id(space),
            .id(set.upload.header.replica),
            .unsigned(set.upload.header.sequence),
            .digest(set.upload.hash),
            .blob(body)
        )
    }

    /// Whether another set goes by the same name.
    private func isTaken(_ header: Header) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM log WHERE space_id = $1 AND replica_id = $2 AND sequence = $3
                AND admin IS NULL
            """,
            .id(space),
            .id(header.replica),
            .unsigned(header.sequence)
        ) { _ in true } ?? false
    }

    /// Takes a replica from a device that pushed under another one's name before that came back.
    private func release(_ replica: Identifier) throws {
        try database.run("DELETE FROM replica_owner WHERE replica_id = $1", .id(replica))
    }

    private func close(_ replica: Identifier) throws {
        try database.run(
            "UPDATE replica_head SET closed = 1 WHERE space_id = $1 AND replica_id = $2",
            .id(space),
            .id(replica)
        )
    }
}
