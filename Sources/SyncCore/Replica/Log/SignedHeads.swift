/// The newest set of each replica that its device signed: the table `signed_head`.
package struct SignedHeads: ReplicaPart {
    package let context: ReplicaContext

    /// Returns the signature over a set as the head of its replica, or nil if this database neither
    /// has it nor can make it.
    ///
    /// This device signs its own sets anew; of another device it has only the newest signature.
    /// A control set needs none, because it is signed itself.
    func signature(over upload: Upload, in space: Int64) throws -> Signature? {
        guard !upload.isControl else { return nil }
        let identity = try identity.current()
        guard try upload.header.device != identity.device || !isOwn(upload) else {
            return try head(of: upload, in: space)?.sign(with: identity.keys.signing)
        }
        let replica = try replicas.number(of: upload.header.replica)
        return try database.first(
            """
            SELECT signature FROM signed_head
            WHERE space = \(space) AND replica = \(replica) AND hash = \(upload.hash)
            """
        ) { Signature(bytes: $0.blob(0)) } ?? nil
    }

    /// Whether this database sealed a set; its header alone could be a forgery.
    private func isOwn(_ upload: Upload) throws -> Bool {
        let (header, hash) = (upload.header, upload.hash)
        let head = ReplicaHead(sequence: header.sequence, hash: hash)
        return try sets.flags(of: head, by: header.replica, in: header.space)?.isOwn ?? false
    }

    /// Stores signatures over the last own set of each replica, before this device changes its keys.
    func signOwn() throws {
        let device = try identity.current().device
        let heads = try database.all(
            """
            SELECT space, upload, max(sequence) FROM sealed WHERE own = 1 GROUP BY space, replica
            """
        ) { (space: $0.integer(0), upload: try Upload(parsing: $0.blob(1))) }
        for (space, upload) in heads where upload.header.device == device {
            guard let signature = try signature(over: upload, in: space) else { continue }
            try store(signature, over: upload, in: space)
        }
    }

    /// Whether the device that sealed a set signed it as the head of its replica.
    ///
    /// Nil if the card of the device, or the control sets that the set names, are not merged yet.
    func verifies(_ signature: Signature, over upload: Upload, in space: Int64) throws -> Bool? {
        let chain = try controls.chain(ofSpace: space)
        guard let card = chain.cards[upload.header.device]?.card else { return nil }
        return try isSigned(
            upload.name,
            upload.header.seen.controls,
            by: (card.device, card.keys.signing),
            signature,
            in: space
        )
    }

    /// Whether the author of a set had surely merged the control sets that this database has.
    ///
    /// After a log was lost, the author may have named control sets of that log which nobody has any
    /// more. Then nobody can tell whether its signature is wrong.
    ///
    /// - Parameters:
    ///   - seen: what the set says that its author had merged.
    ///   - epoch: the log that this database follows.
    func followsThisChain(_ seen: Seen, of epoch: Identifier, in space: Int64) throws -> Bool {
        guard seen.position.epoch == epoch, seen.controls > 0 else { return false }
        let position = try database.first(
            """
            SELECT position FROM sealed
            WHERE space = \(space) AND control = \(seen.controls - 1) AND position IS NOT NULL
            """
        ) { $0.unsigned(0) }
        return position.map { $0 <= seen.position.position } ?? false
    }

    /// Whether a device signed a set as the head of its replica when it had merged so many control
    /// sets.
    ///
    /// The newest of these may have been replaced since. Nil if the chain does not have as many yet.
    private func isSigned(
        _ name: SetName,
        _ controls: UInt64,
        by author: (device: Identifier, key: PublicKey),
        _ signature: Signature,
        in space: Int64
    ) throws -> Bool? {
        func isSigned(_ control: Digest) -> Bool {
            SignedHead(name: name, device: author.device, control: control)
                .isSigned(by: author.key, signature)
        }
        let present = try self.controls.chain(ofSpace: space).hash(ofFirst: controls)
        if present.map(isSigned) == true { return true }
        let replaced = try self.controls.replaced(asLastOf: controls, in: space)
        return replaced.contains(where: isSigned) ? true : present.map { _ in false }
    }

    /// Records a breach if the server names a head of a replica of this device that it never signed.
    package func judge(
        _ named: NamedHead,
        of replica: Identifier,
        in space: Identifier,
        at time: UnixTime
    ) throws {
        guard try isOwn(named, of: replica, in: space) == false else { return }
        let number = try spaces.number(ofSpace: space)
        try breaches.record(.forgedHead, "\(replica)", in: number, at: time)
    }

    /// Whether this device signed a head that the server names.
    ///
    /// Nil if the head names control sets that this database has not merged yet, as a copy of it may
    /// have done.
    private func isOwn(_ named: NamedHead, of replica: Identifier, in space: Identifier) throws
        -> Bool?
    {
        guard let signature = named.signature else { return false }
        let identity = try identity.current()
        let name = SetName(
            space: space,
            replica: replica,
            sequence: named.head.sequence,
            hash: named.head.hash
        )
        return try isSigned(
            name,
            named.controls,
            by: (identity.device, identity.keys.signing.publicKey),
            signature,
            in: try spaces.number(ofSpace: space)
        )
    }

    /// Returns the newest own set if the server named it without the signature that it needs, as it
    /// does after its record of it was damaged.
    package func unsignedOwn(
        _ named: NamedHead,
        of replica: Identifier,
        in space: Identifier
    ) throws -> Upload? {
        guard named.signature == nil else { return nil }
        let newest = try database.first(
            """
            SELECT q.upload FROM sealed q JOIN replica r ON r.number = q.replica
            WHERE q.space = \(spaces.number(ofSpace: space)) AND r.id = \(replica) AND q.own = 1
            ORDER BY q.sequence DESC LIMIT 1
            """
        ) { try Upload(parsing: $0.blob(0)) }
        return newest.flatMap { $0.hash == named.head.hash && !$0.isControl ? $0 : nil }
    }

    /// Notes that the server lacks the signature over an own set.
    package func noteLacking(_ upload: Upload) throws {
        let number = try spaces.number(ofSpace: upload.header.space)
        guard let signature = try signature(over: upload, in: number) else { return }
        try store(signature, over: upload, in: number, isLacking: true)
    }

    /// Stores the signature over a set, unless that over a later one is known.
    ///
    /// - Parameter isLacking: whether the server showed the set without it; then it has no later one.
    func store(
        _ signature: Signature,
        over upload: Upload,
        in space: Int64,
        isLacking: Bool = false
    ) throws {
        try database.run(
            """
            INSERT INTO signed_head (space, replica, sequence, hash, signature, is_lacking)
            VALUES (\(space), \(replicas.number(of: upload.header.replica)),
                \(upload.header.sequence), \(upload.hash), \(signature.bytes),
                \(isLacking ? 1 : 0))
            ON CONFLICT (space, replica) DO UPDATE SET sequence = excluded.sequence,
                hash = excluded.hash, signature = excluded.signature,
                is_lacking = excluded.is_lacking
            WHERE excluded.sequence >= sequence OR excluded.is_lacking = 1
            """
        )
    }

    /// Returns the sets that the server showed without their signature, which this database has.
    func lacking(in space: Int64, limit: Int) throws -> [Int64] {
        try database.all(
            """
            SELECT q.number FROM signed_head h JOIN sealed q ON q.space = h.space
                AND q.replica = h.replica AND q.sequence = h.sequence AND q.hash = h.hash
            WHERE h.space = \(space) AND h.is_lacking = 1 LIMIT \(limit)
            """
        ) { $0.integer(0) }
    }

    /// Notes that the signature over a set was offered.
    func recordOffer(_ upload: Upload) throws {
        try database.run(
            """
            UPDATE signed_head SET is_lacking = 0
            WHERE hash = \(upload.hash) AND is_lacking = 1
                AND replica = \(replicas.number(of: upload.header.replica))
            """
        )
    }

    private func head(of upload: Upload, in space: Int64) throws -> SignedHead? {
        let chain = try controls.chain(ofSpace: space)
        return chain.hash(ofFirst: upload.header.seen.controls).map {
            SignedHead(name: upload.name, device: upload.header.device, control: $0)
        }
    }
}
