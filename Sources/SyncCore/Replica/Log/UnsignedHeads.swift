/// Replicas whose newest set came without its device's signature: the table `unsigned_head`.
///
/// The server may get the signature later, from a device that brings it. It is asked again, each
/// time after as long as it has been missing, and once more before that counts as a breach.
package struct UnsignedHeads: ReplicaPart {
    package let context: ReplicaContext

    /// How long sets may lack a signature, in milliseconds, before that counts as a breach.
    ///
    /// Also an honest server can show an unsigned head: while devices refill it, and after it took
    /// only a part of a push, because a device signs only the last set of a push.
    static let patience: Int64 = 3_600_000

    /// Notes the newest set of each replica that a merge brought without a signature; at the end of
    /// the log, records a breach for those that stayed without one.
    func judge(
        _ unsigned: [Upload],
        in space: Int64,
        isAtHead: Bool,
        at now: UnixTime
    ) throws {
        for upload in unsigned.sorted(by: { $0.header.replica < $1.header.replica })
        where try !isBeforeControl(upload.header.sequence, of: upload.header.replica, in: space) {
            if let signature = try signedHeads.signature(over: upload, in: space) {
                try signedHeads.store(signature, over: upload, in: space, isLacking: true)
            } else {
                try note(upload.header, in: space, at: now)
            }
        }
        if isAtHead { try settle(space, at: now) }
    }

    /// Whether a control set of the log signs what its replica sealed before it.
    private func isBeforeControl(
        _ sequence: UInt64,
        of replica: Identifier,
        in space: Int64
    ) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM sealed q JOIN replica r ON r.number = q.replica
            WHERE q.space = \(space) AND r.id = \(replica)
                AND q.sequence > \(sequence) AND q.control IS NOT NULL
                AND q.position IS NOT NULL LIMIT 1
            """
        ) { _ in true } ?? false
    }

    /// Notes a set without a signature, unless a later set of its replica has one.
    private func note(_ header: Header, in space: Int64, at now: UnixTime) throws {
        let number = try replicas.number(of: header.replica)
        guard try signedSequence(of: number, in: space) < header.sequence else { return }
        let known = try heads(in: space).first { $0.number == number && $0.isSound(in: space) }
        guard header.sequence > known?.sequence ?? 0 else { return }
        var head = known ?? UnsignedHead(replica: header.replica, number: number, since: now)
        head.sequence = header.sequence
        try store(head, in: space)
    }

    /// The sequence of the newest set whose signature is here, or 0.
    private func signedSequence(of replica: Int64, in space: Int64) throws -> UInt64 {
        try database.first(
            "SELECT sequence FROM signed_head WHERE space = \(space) AND replica = \(replica)"
        ) { $0.unsigned(0) } ?? 0
    }

    /// Forgets the heads that were signed meanwhile, and names those that waited too long.
    private func settle(_ space: Int64, at now: UnixTime) throws {
        for var head in try heads(in: space) {
            // A flipped bit must accuse nobody: the time begins anew.
            let isSound = head.isSound(in: space)
            if !isSound { (head.since, head.asked) = (now, now) }
            // A log that begins anew may lack what an earlier one had.
            let newest = try newest(of: head.number, in: space)
            if !isSound || newest < head.sequence {
                head.sequence = newest
                try store(head, in: space)
            }
            let isSigned =
                try signedSequence(of: head.number, in: space) >= head.sequence
                || isBeforeControl(head.sequence, of: head.replica, in: space)
            if isSigned {
                try database.run(
                    """
                    DELETE FROM unsigned_head
                    WHERE space = \(space) AND replica = \(head.number)
                    """
                )
                // Without a set there is nothing left to sign, but it was not signed either.
                if newest > 0 { try breaches.forget(.unsignedSets, "\(head.replica)", in: space) }
            } else if head.waited >= Self.patience {
                try breaches.record(.unsignedSets, "\(head.replica)", in: space, at: now)
            }
        }
    }

    /// The sequence of the newest set of a replica in the log, or 0.
    private func newest(of replica: Int64, in space: Int64) throws -> UInt64 {
        try database.first(
            """
            SELECT max(sequence) FROM sealed
            WHERE space = \(space) AND replica = \(replica) AND position IS NOT NULL
            """
        ) { $0.unsigned(0) } ?? 0
    }
}

/// Asking for the signatures.
extension UnsignedHeads {
    /// The positions of the heads for whose signature it is time to ask, in ascending order.
    func positions(in space: Int64, at now: UnixTime) throws -> [UInt64] {
        try due(in: space, at: now).map(\.position).sorted()
    }

    private func due(
        in space: Int64,
        at now: UnixTime
    ) throws -> [(head: UnsignedHead, position: UInt64)] {
        try heads(in: space).filter { $0.isSound(in: space) && $0.isDue(at: now) }
            .compactMap { head in
                try database.first(
                    """
                    SELECT position FROM sealed WHERE space = \(space) AND replica = \(head.number)
                        AND sequence = \(head.sequence) AND position IS NOT NULL
                    """
                ) { (head, $0.unsigned(0)) }
            }
    }

    /// Whether a set is one for whose signature the server was asked.
    func contains(_ name: SetName, in space: Int64) throws -> Bool {
        try heads(in: space).contains {
            $0.replica == name.replica && $0.sequence == name.sequence
        }
    }

    /// Notes when the server was asked for the signatures of sets.
    func noteAsked(_ positions: [UInt64], in space: Int64, at now: UnixTime) throws {
        for (head, position) in try due(in: space, at: now) where positions.contains(position) {
            var asked = head
            asked.asked = now
            try store(asked, in: space)
        }
    }

    private func heads(in space: Int64) throws -> [UnsignedHead] {
        try database.all(
            """
            SELECT u.replica, u.sequence, u.since, u.asked, u.sum, r.id FROM unsigned_head u
            JOIN replica r ON r.number = u.replica WHERE u.space = \(space) ORDER BY r.id
            """,
            read: UnsignedHead.init
        )
    }

    private func store(_ head: UnsignedHead, in space: Int64) throws {
        try database.run(
            """
            INSERT OR REPLACE INTO unsigned_head (space, replica, sequence, since, asked, sum)
            VALUES (\(space), \(head.number), \(head.sequence), \(head.since.milliseconds),
                \(head.asked.milliseconds), \(head.sum(in: space)))
            """
        )
    }
}

/// A row of `unsigned_head`, with a sum that shows damage.
private struct UnsignedHead {
    let replica: Identifier
    /// The number of the replica.
    let number: Int64
    var sequence: UInt64 = 0
    /// When this database first met a set of the replica without a signature.
    var since: UnixTime
    /// When the server was last asked for the signature; at first ``since``.
    var asked: UnixTime
    private var storedSum: Int64?

    init(replica: Identifier, number: Int64, since: UnixTime) {
        (self.replica, self.number, self.since, asked) = (replica, number, since, since)
    }

    /// - Parameter row: the columns of `unsigned_head` but the space, and the id of the replica.
    init(_ row: Statement) {
        (number, sequence) = (row.integer(0), row.unsigned(1))
        since = UnixTime(milliseconds: row.integer(2))
        asked = UnixTime(milliseconds: row.integer(3))
        (storedSum, replica) = (row.integer(4), row.id(5))
    }

    /// How long the signature had been missing when the server was last asked, in milliseconds.
    var waited: Int64 { asked.milliseconds &- since.milliseconds }

    func isSound(in space: Int64) -> Bool { storedSum == sum(in: space) }

    /// Whether it is time to ask for the signature.
    func isDue(at now: UnixTime) -> Bool {
        let pause = now.milliseconds &- asked.milliseconds
        let isOverdue = now.milliseconds &- since.milliseconds >= UnsignedHeads.patience
        // A pause below 0 means that the clock was ahead.
        return pause < 0 || pause >= waited || isOverdue && waited < UnsignedHeads.patience
    }

    func sum(in space: Int64) -> Int64 {
        Checksum.of(
            record: [space, number, since.milliseconds, asked.milliseconds].map(
                UInt64.init(bitPattern:)
            )
                + [sequence]
        )
    }
}
