extension DeviceEnrolment {
    /// Returns the entrance through a door, or nil if none was prepared for it.
    package func entrance(through door: Identifier) throws -> Entrance? {
        try database.first(
            """
            SELECT door, signing_key, agreement_key, replica, upload, body FROM entrance
            WHERE door = \(door)
            """
        ) { row in
            guard let keys = KeyPairs(signing: row.blob(1), agreement: row.blob(2)) else {
                throw ReplicaError.damagedRecord
            }
            var set: Seal.Sealed?
            if !row.isNull(4) {
                set = Seal.Sealed(
                    upload: row.blob(4),
                    body: row.blob(5),
                    hash: try Upload(parsing: row.blob(4)).hash
                )
            }
            return Entrance(door: row.id(0), keys: keys, replica: row.id(3), set: set)
        }
    }

    /// Prepares to enter through a door, with the device's own keys or with fresh ones.
    ///
    /// Returns the entrance that was prepared before, if there is one.
    package func prepareEntrance(
        through door: Identifier,
        withFreshKeys: Bool
    ) throws -> Entrance {
        if let known = try entrance(through: door) { return known }
        var random = IdentifierGenerator(next: newIdentifier)
        let keys = withFreshKeys ? .random(using: &random) : try identity.current().keys
        try database.run(
            """
            INSERT OR REPLACE INTO entrance (one, door, signing_key, agreement_key, replica)
            VALUES (1, \(door), \(keys.signing.seed.bytes), \(keys.agreement.secret.bytes),
                \(newIdentifier()))
            """
        )
        return Entrance(door: door, keys: keys, replica: try replicaOfEntrance(), set: nil)
    }

    /// Draws fresh keys for the entrance that is prepared.
    package func renewEntrance() throws -> Entrance {
        let door = try database.first("SELECT door FROM entrance") { $0.id(0) }
        guard let door else { throw ReplicaError.damagedRecord }
        try database.run("DELETE FROM entrance")
        return try prepareEntrance(through: door, withFreshKeys: true)
    }

    private func replicaOfEntrance() throws -> Identifier {
        let replica = try database.first("SELECT replica FROM entrance") { $0.id(0) }
        guard let replica else { throw ReplicaError.damagedRecord }
        return replica
    }

    /// Seals the set by which a device joins with the keys of a link.
    package func sealJoin(
        _ entrance: Entrance,
        after chain: ControlChain,
        by link: KeyPairs,
        _ secret: EpochSecret,
        at now: UnixTime
    ) throws -> Entrance {
        var (plan, random) = (ControlPlan(), IdentifierGenerator(next: newIdentifier))
        let card = try card(of: entrance, in: chain)
        plan.join(chain, as: card, by: link, with: secret, using: &random)
        return try sealEntrance(entrance, plan, after: chain, at: now)
    }

    /// Seals the set by which a device enters because a card vouches for it.
    package func sealCard(
        _ entrance: Entrance,
        after chain: ControlChain,
        by voucher: KeyPairs,
        _ secret: EpochSecret,
        at now: UnixTime
    ) throws -> Entrance {
        var (plan, random) = (ControlPlan(), IdentifierGenerator(next: newIdentifier))
        let card = try card(of: entrance, in: chain)
        plan.add(card, to: chain, vouchedBy: voucher, with: secret, using: &random)
        return try sealEntrance(entrance, plan, after: chain, at: now)
    }

    private func card(of entrance: Entrance, in chain: ControlChain) throws -> Card {
        guard let user = chain.user else { throw ControlError.forbidden(.founding) }
        return Card(entrance.keys, of: user, as: .device)
    }

    /// Seals the set by which the device enters, and stores it.
    ///
    /// A set that was sealed before was stale, so this one gets another replica id: a sealed name
    /// is never used again.
    private func sealEntrance(
        _ entrance: Entrance,
        _ plan: ControlPlan,
        after chain: ControlChain,
        at now: UnixTime
    ) throws -> Entrance {
        let replica = entrance.set == nil ? entrance.replica : newIdentifier()
        let seal = Seal(
            space: chain.space,
            device: entrance.keys.publicKeys.device,
            replica: replica,
            sequence: 1,
            previous: .zero,
            seen: .nothing
        )
        let set = plan.seal(after: chain, as: seal, by: entrance.keys, at: now)
        try database.run(
            """
            UPDATE entrance
                SET replica = \(replica), upload = \(set.upload), body = \(set.body)
            """
        )
        return Entrance(door: entrance.door, keys: entrance.keys, replica: replica, set: set)
    }
}
