/// What the column `control` says of a control set that is not part of the chain.
enum ControlMark {
    /// Its actions wait to be sealed again, because the log refused or lost the set.
    static let lost: Int64 = -1
    /// Its device signed it, and so all sets before it in its replica, but it does not count.
    static let isSignature: Int64 = -2
    /// The same of a set that no log of this database ever accepted.
    static let isRefused: Int64 = -3
}

/// The control chains of the spaces: the control sets among the sealed sets.
package struct Controls: ReplicaPart {
    package let context: ReplicaContext

    /// Returns the chain of a space as it was merged.
    package func chain(of space: Identifier) throws -> ControlChain {
        try chain(ofSpace: try spaces.number(ofSpace: space))
    }

    func chain(ofSpace number: Int64) throws -> ControlChain {
        let end = try end(ofSpace: number)
        if let known = context.chains[number], end.isEnd(of: known) { return known }
        let chain = try evaluated(number, end.space, upTo: end.count)
        context.chains[number] = chain
        return chain
    }

    /// Whether this device has a live card in a space, by the merged control chain; nil if it never had
    /// one there.
    func isIn(_ space: Identifier) throws -> Bool? {
        try chain(of: space).cards[try identity.current().device]?.isLive
    }

    /// The end of a space's chain, as it was merged.
    struct End {
        let space: Identifier
        let count: UInt64
        let head: Digest

        func isEnd(of chain: ControlChain) -> Bool { chain.count == count && chain.head == head }
    }

    func end(ofSpace number: Int64) throws -> End {
        let end = try database.first(
            "SELECT id, controls, control_head FROM space WHERE number = \(number)"
        ) { End(space: $0.id(0), count: $0.unsigned(1), head: $0.digest(2)) }
        guard let end else { throw ReplicaError.damagedRecord }
        return end
    }

    /// Evaluates the stored control sets of a space up to the first one that is lost or damaged.
    ///
    /// The log brings it again; until then the sets that name more control sets wait.
    private func evaluated(
        _ number: Int64,
        _ space: Identifier,
        upTo count: UInt64
    ) throws -> ControlChain {
        var chain = ControlChain(of: space)
        try database.each(
            """
            SELECT upload, body FROM sealed WHERE space = \(number) AND control >= 0
                AND control < \(count) AND body IS NOT NULL ORDER BY control
            """
        ) { row in
            guard let upload = try? Upload(parsing: row.blob(0)),
                let set = try? ControlSet(upload, body: row.blob(1))
            else { return }
            try? chain.apply(set)
        }
        return chain
    }

    /// Whether the stored control sets, each signature included, lead to the stored end.
    func isWhole(_ space: Identifier) throws -> Bool {
        let number = try spaces.number(ofSpace: space)
        context.chains[number] = nil
        return try end(ofSpace: number).isEnd(of: chain(ofSpace: number))
    }

    /// Returns the chain with the own control sets that wait for the server's verdict.
    package func plannedChain(of space: Identifier) throws -> ControlChain {
        try plannedChain(ofSpace: try spaces.number(ofSpace: space))
    }

    func plannedChain(ofSpace number: Int64) throws -> ControlChain {
        var chain = try chain(ofSpace: number)
        for set in try sets(of: number, from: chain.count) { try? chain.apply(set) }
        return chain
    }

    /// Returns the hashes of control sets that were the last of so many and do not count any more.
    func replaced(asLastOf controls: UInt64, in space: Int64) throws -> [Digest] {
        try database.all(
            "SELECT upload FROM sealed WHERE space = \(space) AND control < 0"
        ) { try Upload(parsing: $0.blob(0)) }
        .filter { upload in upload.header.control.map { $0.index &+ 1 == controls } ?? false }
        .map(\.hash)
    }

    /// Whether control sets of this device wait: for the server's verdict, or to be sealed again.
    package func hasWaiting(in space: Identifier) throws -> Bool {
        let number = try spaces.number(ofSpace: space)
        return try hasLost(in: number)
            || plannedChain(ofSpace: number).count > chain(ofSpace: number).count
    }

    /// Whether control sets wait to be sealed again.
    func hasLost(in space: Int64) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM sealed WHERE space = \(space) AND control = \(ControlMark.lost)
                AND body IS NOT NULL LIMIT 1
            """
        ) { _ in true } ?? false
    }

    /// Returns the control sets of a space from an index on, in order, own waiting ones included.
    private func sets(of space: Int64, from index: UInt64) throws -> [ControlSet] {
        try database.all(
            """
            SELECT upload, body FROM sealed
            WHERE space = \(space) AND control >= \(index) AND body IS NOT NULL ORDER BY control
            """
        ) { try ControlSet(try Upload(parsing: $0.blob(0)), body: $0.blob(1)) }
    }

    /// Returns the control sets of a space in order, without those that wait.
    func mergedSets(in space: Identifier) throws -> [ControlSet] {
        let number = try spaces.number(ofSpace: space)
        let count = try end(ofSpace: number).count
        return try sets(of: number, from: 0).filter { $0.place.index < count }
    }

    /// Merges the next control set, which is stored under a number.
    ///
    /// Throws ``ControlError`` if the rules forbid it.
    func merge(_ set: ControlSet, number: Int64, into space: Int64) throws {
        var chain = try chain(ofSpace: space)
        try chain.apply(set)
        // An own set that waits at this index is stale now.
        try database.run(
            """
            UPDATE sealed SET control = NULL
            WHERE space = \(space) AND control >= \(set.place.index) AND number != \(number)
            """
        )
        try mark(set, number: number)
        try store(chain, of: space)
        try wantWraps(named: set, in: space)
    }

    /// Whether the merged log has the control set at an index, rather than an earlier log alone.
    func isInLog(_ index: UInt64, in space: Int64) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM sealed
            WHERE space = \(space) AND control = \(index) AND position IS NOT NULL
            """
        ) { _ in true } ?? false
    }

    /// Returns how many control sets of the chain the merged log has, up to the first that it lacks.
    ///
    /// The first one counts always: the id of the space follows from it, so no other takes its place.
    func countInLog(of space: Int64) throws -> UInt64 {
        let count = try chain(ofSpace: space).count
        let lacking = try database.first(
            """
            SELECT min(control) FROM sealed WHERE space = \(space) AND control >= 1
                AND control < \(count) AND position IS NULL AND receipt IS NOT NULL
            """
        ) { $0.isNull(0) ? nil : $0.unsigned(0) }
        return (lacking ?? nil) ?? count
    }

    /// Shortens a chain, and puts the secrets of the key epochs that it loses aside.
    ///
    /// A device that it revoked stays shut out: no server can let it in again.
    func goBack(to index: UInt64, in space: Int64) throws {
        let known = try chain(ofSpace: space)
        context.chains[space] = nil
        let chain = try evaluated(space, known.space, upTo: index)
        try store(chain, of: space)
        for (device, card) in known.cards
        where card.isRevoked && chain.cards[device]?.isRevoked != true {
            try shutOut(device, of: space)
        }
        let epoch = UInt64(chain.epochs.count).bigEndianBytes
        try database.run(
            """
            INSERT INTO lost_key (secret, epoch, space) SELECT secret, epoch, space FROM space_key
            WHERE space = \(space) AND epoch > \(epoch) ON CONFLICT DO NOTHING
            """
        )
        try database.run("DELETE FROM space_key WHERE space = \(space) AND epoch > \(epoch)")
    }

    /// Forgets what other devices did in a chain that is lost, because the person chose whom to follow.
    func forgetOthers(in space: Int64) throws {
        try database.run("DELETE FROM lost_revocation WHERE space = \(space)")
        try database.run(
            """
            UPDATE sealed SET control = \(ControlMark.isSignature)
            WHERE space = \(space) AND control = \(ControlMark.lost) AND own = 0
            """
        )
    }

    /// Stores that a set is the one at its index.
    func mark(_ set: ControlSet, number: Int64) throws {
        try database.run(
            """
            UPDATE sealed SET control = \(set.place.index), reissued = 0 WHERE number = \(number)
            """
        )
    }

    func store(_ chain: ControlChain, of space: Int64) throws {
        try database.run(
            """
            UPDATE space SET controls = \(chain.count), control_head = \(chain.head)
            WHERE number = \(space)
            """
        )
        context.chains[space] = chain
    }

    func wantWraps(named set: ControlSet, in space: Int64) throws {
        guard !isView else { return }
        for name in set.upload.header.chunks {
            try chunks.want(name.reference, for: RowAddress(space: space, id: .zero))
        }
    }
}

extension Upload {
    /// Whether a log with so many control sets may have this set.
    ///
    /// A change set that names more waits: others may take their places, and its signature names the
    /// last one by its hash. A control set names the one before it itself.
    func namesAtMost(_ controls: UInt64) -> Bool {
        isControl || header.seen.controls <= controls
    }
}

extension ChunkName {
    /// The reference to the wraps of a key epoch.
    var reference: ChunkReference {
        ChunkReference(hash: hash, byteCount: byteCount, kind: .wraps, summary: nil)
    }
}

extension ReplicaPart {
    /// The control chains of the spaces.
    package var controls: Controls { Controls(context: context) }
}
