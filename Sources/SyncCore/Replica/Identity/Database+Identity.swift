extension Database {
    /// Makes this database somebody; false where it is somebody already.
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
            VALUES (1, $1, 0, 0, $2, $3, $4, $5) ON CONFLICT DO NOTHING
            """,
            .id(replica),
            .text(name),
            .id(user),
            .id(device),
            .blob(privateKey.bytes)
        ) == 1
    }

    func addSpace(_ id: Identifier, kind: SpaceKind) throws {
        try run(
            """
            INSERT INTO space (id, kind, epoch, position, chain, head, fingerprint, greatest,
                sequence, previous)
            VALUES ($1, $2, $3, 0, $4, 0, $4, 0, 0, $4) ON CONFLICT DO NOTHING
            """,
            .id(id),
            .text(kind.rawValue),
            .id(.zero),
            .digest(.zero)
        )
    }

    func setKey(of space: Identifier, epoch: UInt64, _ secret: Secret) throws {
        try run(
            """
            INSERT INTO space_key (space, epoch, secret)
            SELECT number, $2, $3 FROM space WHERE id = $1 ON CONFLICT DO NOTHING
            """,
            .id(space),
            .blob(epoch.bigEndianBytes),
            .blob(secret.bytes)
        )
    }
}
