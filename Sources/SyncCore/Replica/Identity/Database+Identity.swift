extension Database {
    /// Stores the identity of this database; returns false if it has one already.
    @discardableResult
    func addSelf(
        replica: Identifier,
        name: String,
        user: Identifier,
        device: Identifier,
        privateKey: Secret
    ) throws -> Bool {
        try run(
            """
            INSERT INTO self (one, replica, clock, seals, name, user, device, private_key)
            VALUES (1, \(replica), 0, 0, \(name), \(user), \(device), \(privateKey.bytes))
            ON CONFLICT DO NOTHING
            """
        ) == 1
    }

    func addDeviceKeys(_ secrets: [UInt64: Secret]) throws {
        for (epoch, secret) in secrets {
            let key = epoch.bigEndianBytes
            try run("INSERT INTO device_key (epoch, secret) VALUES (\(key), \(secret.bytes))")
        }
    }

    func addSpace(_ id: Identifier, kind: SpaceKind) throws {
        try run(
            """
            INSERT INTO space (id, kind, epoch, position, chain, head, fingerprint, greatest,
                sequence, previous)
            VALUES (\(id), \(kind.rawValue), \(Identifier.zero), 0, \(Digest.zero), 0,
                \(Digest.zero), 0, 0, \(Digest.zero)) ON CONFLICT DO NOTHING
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
