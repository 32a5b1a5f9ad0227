extension Database {
    /// Stores the identity of this database; returns false if it has one already.
    @discardableResult
    func addSelf(
        replica: Identifier,
        name: String,
        keys: KeyPairs
    ) throws -> Bool {
        try run(
            """
            INSERT INTO self (one, replica, clock, seals, name, user, device, signing_key,
                agreement_key)
            VALUES (1, \(replica), 0, 0, \(name), \(keys.publicKeys.user),
                \(keys.publicKeys.device), \(keys.signing.seed.bytes),
                \(keys.agreement.secret.bytes))
            ON CONFLICT DO NOTHING
            """
        ) == 1
    }

    /// Returns why the file has no device or no own space.
    func identityError() throws -> ReplicaError {
        try first("SELECT 1 FROM space UNION SELECT 1 FROM self") { _ in .lostIdentity } ?? .missing
    }

    func addDeviceKeys(_ secrets: [UInt64: Secret]) throws {
        for (epoch, secret) in secrets {
            let key = epoch.bigEndianBytes
            try run(
                """
                INSERT INTO device_key (epoch, secret) VALUES (\(key), \(secret.bytes))
                ON CONFLICT DO NOTHING
                """
            )
        }
    }

    func addSpace(_ id: Identifier, kind: SpaceKind) throws {
        try run(
            """
            INSERT INTO space (id, kind, epoch, position, chain, head, fingerprint, greatest,
                sequence, previous, control_head)
            VALUES (\(id), \(kind.rawValue), \(Identifier.zero), 0, \(Digest.zero), 0,
                \(Digest.zero), 0, 0, \(Digest.zero), \(Digest.zero)) ON CONFLICT DO NOTHING
            """
        )
    }

    func setKey(of space: Identifier, epoch: UInt64, _ secret: Secret) throws {
        try run(
            """
            INSERT INTO space_key (space, epoch, secret)
            SELECT number, \(epoch.bigEndianBytes), \(secret.bytes) FROM space
            WHERE id = \(space) ON CONFLICT DO NOTHING
            """
        )
    }
}
