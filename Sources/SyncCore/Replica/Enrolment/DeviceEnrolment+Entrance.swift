extension DeviceEnrolment {
    /// Returns how this device enters, or entered last; nil if it founded its space.
    package func entrance() throws -> Entrance? {
        try database.first(
            """
            SELECT door, signing_key, agreement_key, replica, upload, body, door_signing_key,
                door_agreement_key FROM entrance
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
            return Entrance(
                door: row.id(0),
                link: row.isNull(6) ? nil : KeyPairs(signing: row.blob(6), agreement: row.blob(7)),
                keys: keys,
                replica: row.id(3),
                set: set
            )
        }
    }

    /// Prepares to enter through a door, with the device's own keys or with fresh ones.
    ///
    /// Returns the entrance that was prepared before, if there is one.
    ///
    /// - Parameter link: the keys of the link, if the door is one.
    package func prepareEntrance(
        through door: Identifier,
        by link: KeyPairs?,
        withFreshKeys: Bool
    ) throws -> Entrance {
        if let known = try entrance(), known.door == door { return known }
        var random = IdentifierGenerator(next: newIdentifier)
        let keys = withFreshKeys ? .random(using: &random) : try identity.current().keys
        try database.run(
            """
            INSERT OR REPLACE INTO entrance (one, door, door_signing_key, door_agreement_key,
                signing_key, agreement_key, replica)
            VALUES (1, \(door), \(link?.signing.seed.bytes), \(link?.agreement.secret.bytes),
                \(keys.signing.seed.bytes), \(keys.agreement.secret.bytes), \(newIdentifier()))
            """
        )
        guard let prepared = try entrance() else { throw ReplicaError.damagedRecord }
        return prepared
    }

    /// Draws fresh keys for the entrance that is prepared.
    package func renewEntrance() throws -> Entrance {
        guard let known = try entrance() else { throw ReplicaError.damagedRecord }
        try database.run("DELETE FROM entrance")
        return try prepareEntrance(through: known.door, by: known.link, withFreshKeys: true)
    }

    /// Seals the set by which a device enters: a `join` by its link, or else a `card` for which the
    /// door's card vouches.
    package func seal(
        _ entrance: Entrance,
        after chain: ControlChain,
        by door: KeyPairs,
        _ secret: EpochSecret,
        at now: UnixTime
    ) throws -> Entrance {
        var (plan, random) = (ControlPlan(), IdentifierGenerator(next: newIdentifier))
        let card = try card(of: entrance, in: chain)
        if entrance.link == nil {
            plan.add(card, to: chain, vouchedBy: door, with: secret, using: &random)
        } else {
            plan.join(chain, as: card, by: door, with: secret, using: &random)
        }
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
        return Entrance(
            door: entrance.door,
            link: entrance.link,
            keys: entrance.keys,
            replica: replica,
            set: set
        )
    }
}
