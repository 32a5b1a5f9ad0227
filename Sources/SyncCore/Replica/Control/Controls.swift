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
        let end = try database.first(
            "SELECT id, controls, control_head FROM space WHERE number = \(number)"
        ) { (space: $0.id(0), count: $0.unsigned(1), head: $0.digest(2)) }
        guard let end else { throw ReplicaError.damagedRecord }
        if let known = context.chains[number], known.count == end.count, known.head == end.head {
            return known
        }
        let chain = try evaluated(number, end.space, upTo: end.count)
        context.chains[number] = chain
        return chain
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
        let chain = try chain(ofSpace: number)
        let end = try database.first(
            "SELECT controls, control_head FROM space WHERE number = \(number)"
        ) { ($0.unsigned(0), $0.digest(1)) }
        return end.map { $0 == (chain.count, chain.head) } ?? false
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
        where !card.isLive && chain.cards[device]?.isLive != false {
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

/// The secrets of a space that this device can decrypt.
extension Controls {
    /// Stores the secrets of all key epochs that the chain and the wraps at hand let this device
    /// decrypt.
    package func learnSecrets(of space: Identifier) throws {
        let chain = try chain(of: space)
        let known = try spaces.keys(of: space)
        var secret = try newestSecret(of: chain)
        while let found = secret {
            if known.secrets[found.epoch] == nil {
                try database.setKey(of: space, epoch: found.epoch, found.secret)
            }
            let epoch = chain.epochs[Int(found.epoch) - 1]
            secret = epoch.earlier.flatMap(found.earlier(in:))
            if let before = secret, before.hash != chain.epochs[Int(before.epoch) - 1].secretHash {
                secret = nil
            }
        }
    }

    /// Returns the keys of a space, each as the chain knows it by its hash.
    ///
    /// A wrong one would seal sets that others take for forged, and call those of others forged. Throws
    /// ``ReplicaError/damaged(_:)``.
    func soundKeys(of space: Identifier) throws -> SpaceKeys {
        let keys = try spaces.keys(of: space)
        if let epoch = try damagedEpochs(of: keys).first {
            let number = try spaces.number(ofSpace: space)
            throw ReplicaError.damaged(.secret(space: number, epoch: epoch))
        }
        return keys
    }

    /// Returns the key epochs whose secrets are not those of the chain, in ascending order.
    func damagedEpochs(of keys: SpaceKeys) throws -> [UInt64] {
        // A view has none.
        guard !keys.secrets.isEmpty else { return [] }
        let epochs = try chain(of: keys.space).epochs
        return keys.secrets.keys.sorted().filter { number in
            guard let secret = keys.secrets[number], number > 0, number <= epochs.count else {
                return true
            }
            let present = EpochSecret(space: keys.space, epoch: number, secret: secret)
            return present.hash != epochs[Int(number) - 1].secretHash
        }
    }

    /// Decrypts a damaged secret again, or finds that its epoch was damaged; returns false if this
    /// device has no wrap of it.
    func restoreSecret(of space: Int64, epoch: UInt64) throws -> Bool {
        let chain = try chain(ofSpace: space)
        let secret = try spaces.keys(of: chain.space).secrets[epoch]
        try database.run(
            "DELETE FROM space_key WHERE space = \(space) AND epoch = \(epoch.bigEndianBytes)"
        )
        let right = chain.epochs.first { right in
            secret.map {
                EpochSecret(space: chain.space, epoch: right.number, secret: $0).hash
                    == right.secretHash
            } ?? false
        }
        if let right, let secret {
            try database.setKey(of: chain.space, epoch: right.number, secret)
        }
        try learnSecrets(of: chain.space)
        return try right != nil || spaces.keys(of: chain.space).secrets[epoch] != nil
    }

    /// Returns the chunk of wraps that may hold the newest secret, if this device has neither.
    package func missingWraps(of space: Identifier) throws -> Digest? {
        guard let newest = try chain(of: space).epochs.last,
            try spaces.keys(of: space).secrets[newest.number] == nil,
            try chunks.bytes(newest.wraps) == nil
        else { return nil }
        return newest.wraps
    }

    /// Returns the secret of a chain's newest epoch as it is stored, or decrypts it from a wrap in an
    /// action or in the chunk of wraps; nil if this device has neither.
    func newestSecret(of chain: ControlChain) throws -> EpochSecret? {
        guard let newest = chain.epochs.last else { return nil }
        let known = try spaces.keys(of: chain.space).secrets[newest.number].map {
            EpochSecret(space: chain.space, epoch: newest.number, secret: $0)
        }
        if known?.hash == newest.secretHash { return known }
        let keys = try identity.current().keys
        let chunk = try chunks.soundBytes(newest.wraps).flatMap { try? KeyWraps(chunk: $0) }
        return chain.newestSecret(
            for: keys.publicKeys.device,
            with: keys.agreement,
            chunk: chunk
        )
    }
}

extension ControlChain {
    /// Decrypts the secret of the newest key epoch; nil if no wrap for the recipient is at hand.
    ///
    /// - Parameter chunk: the wraps that the newest epoch's action names.
    package func newestSecret(
        for recipient: Identifier,
        with key: AgreementKey,
        chunk: KeyWraps?
    ) -> EpochSecret? {
        guard let newest = epochs.last else { return nil }
        let listed = chunk.flatMap { chunk in
            chunk.entries.first { $0.recipient == recipient }.map { entry in
                SecretWrap(
                    recipient: recipient,
                    ephemeral: chunk.ephemeralKey,
                    bytes: entry.wrap
                )
            }
        }
        let candidates = [wraps[recipient], listed].compactMap { $0 }
        return candidates.lazy.compactMap {
            EpochSecret(of: space, epoch: newest.number, in: $0, with: key)
        }
        .first { $0.hash == newest.secretHash }
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
