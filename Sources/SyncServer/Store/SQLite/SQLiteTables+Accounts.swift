internal import SyncCore

extension SQLiteTables {
    func insertUser(_ user: Identifier, name: String) throws {
        try database.run(
            "INSERT INTO account (user_id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            .id(user),
            .text(name)
        )
    }

    func device(_ id: Identifier) throws -> Device? {
        try database.first(
            """
            SELECT device_id, user_id, name, key_epoch, enrolled, revoked, signed FROM device
            WHERE device_id = $1
            """,
            .id(id),
            read: Self.device
        )
    }

    func devices(of user: Identifier) throws -> [Device] {
        try database.all(
            """
            SELECT device_id, user_id, name, key_epoch, enrolled, revoked, signed FROM device
            WHERE user_id = $1 ORDER BY enrolled, device_id
            """,
            .id(user),
            read: Self.device
        )
    }

    private static func device(_ row: Statement) -> Device {
        Device(
            id: row.id(0),
            user: row.id(1),
            name: row.text(2),
            keyEpoch: row.unsigned(3),
            enrolled: UnixTime(milliseconds: row.integer(4)),
            isRevoked: row.integer(5) == 1,
            hasSigned: row.integer(6) == 1
        )
    }

    func publicKey(of device: Identifier) throws -> [UInt8]? {
        try database.first("SELECT public_key FROM device WHERE device_id = $1", .id(device)) {
            $0.blob(0)
        }
    }

    func insertDevice(_ device: NewDevice, of user: Identifier, at now: UnixTime) throws {
        try database.run(
            """
            INSERT INTO device (device_id, user_id, name, public_key, key_epoch, enrolled,
                revoked, signed)
            VALUES ($1, $2, $3, $4, 1, $5, 0, 0)
            """,
            .id(device.id),
            .id(user),
            .text(device.name),
            .blob(device.publicKey),
            .integer(now.milliseconds)
        )
    }

    func noteSigned(_ device: Identifier) throws {
        try database.run("UPDATE device SET signed = 1 WHERE device_id = $1", .id(device))
        try database.run(
            "UPDATE invitation SET wrapped_key = NULL WHERE device_id = $1",
            .id(device)
        )
    }

    func revoke(_ device: Identifier) throws {
        try database.run(
            "INSERT INTO revocation (device_id) VALUES ($1) ON CONFLICT DO NOTHING",
            .id(device)
        )
        try database.run("UPDATE device SET revoked = 1 WHERE device_id = $1", .id(device))
    }

    func isRevoked(_ device: Identifier) throws -> Bool {
        try database.first(
            "SELECT 1 FROM revocation WHERE device_id = $1",
            .id(device)
        ) { _ in true } ?? false
    }

    /// Notes a nonce and forgets those before `oldest`; false where it was noted before.
    func insertNonce(
        _ nonce: String,
        of device: Identifier,
        at now: UnixTime,
        oldest: Int64
    ) throws -> Bool {
        try database.run("DELETE FROM nonce WHERE seen < $1", .integer(oldest))
        let inserted = try database.run(
            """
            INSERT INTO nonce (device_id, nonce, seen) VALUES ($1, $2, $3)
            ON CONFLICT DO NOTHING
            """,
            .id(device),
            .text(nonce),
            .integer(now.milliseconds)
        )
        return inserted == 1
    }
}

extension SQLiteTables {
    /// The role of a person in a space; ``StoreError/notFound`` for anyone else and any other.
    @discardableResult
    func role(of user: Identifier, in space: Identifier) throws -> Role {
        let role = try database.first(
            "SELECT role FROM member WHERE space_id = $1 AND user_id = $2",
            .id(space),
            .id(user)
        ) { Role(rawValue: $0.integer(0)) ?? .viewer }
        guard let role else { throw StoreError.notFound }
        return role
    }

    /// Whether a person is a member of a space, nil for a space that this store does not know.
    func isMember(_ user: Identifier, of space: Identifier) throws -> Bool? {
        let isMember = try database.first(
            "SELECT max(user_id = $2) FROM member WHERE space_id = $1",
            .id(space),
            .id(user)
        ) { $0.isNull(0) ? nil : $0.integer(0) == 1 }
        return isMember ?? nil
    }

    func spaces(of user: Identifier) throws -> [Membership] {
        try database.all(
            """
            SELECT m.space_id, m.role, s.head FROM member m JOIN space s USING (space_id)
            WHERE m.user_id = $1 ORDER BY m.space_id
            """,
            .id(user)
        ) {
            Membership(
                space: $0.id(0),
                role: Role(rawValue: $0.integer(1)) ?? .viewer,
                head: $0.unsigned(2)
            )
        }
    }

    func owner(of space: Identifier) throws -> Identifier? {
        try database.first(
            "SELECT user_id FROM member WHERE space_id = $1 AND role = $2",
            .id(space),
            .integer(Role.owner.rawValue)
        ) { $0.id(0) }
    }

    /// Makes a space with its owner, unless it is there.
    func insertSpace(_ space: Identifier, owner user: Identifier) throws {
        let inserted = try database.run(
            """
            INSERT INTO space (space_id, head, chain, greatest) VALUES ($1, 0, $2, 0)
            ON CONFLICT DO NOTHING
            """,
            .id(space),
            .digest(.zero)
        )
        guard inserted == 1 else { return }
        try database.run(
            "INSERT INTO member (space_id, user_id, role) VALUES ($1, $2, $3)",
            .id(space),
            .id(user),
            .integer(Role.owner.rawValue)
        )
    }
}

extension SQLiteTables {
    func insertInvitation(_ invitation: Invitation) throws {
        try database.run(
            """
            INSERT INTO invitation (token, user_id, space_id, wrapped_key, expires)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
            """,
            .digest(invitation.token),
            .id(invitation.user),
            .optional(invitation.space, SQLiteValue.id),
            .optional(invitation.wrappedKey, SQLiteValue.blob),
            .integer(invitation.expires.milliseconds)
        )
    }

    /// An invitation and the device that used it.
    func invitation(
        _ token: Digest
    ) throws -> (invitation: Invitation, device: Identifier?)? {
        try database.first(
            """
            SELECT token, user_id, space_id, wrapped_key, expires, device_id FROM invitation
            WHERE token = $1
            """,
            .digest(token)
        ) { (Self.invitation($0), $0.isNull(5) ? nil : $0.id(5)) }
    }

    func invitations(
        to space: Identifier,
        for user: Identifier,
        at now: UnixTime
    ) throws -> [Invitation] {
        try database.all(
            """
            SELECT token, user_id, space_id, wrapped_key, expires FROM invitation
            WHERE space_id = $1 AND user_id = $2 AND expires > $3 AND device_id IS NULL
            ORDER BY expires, token
            """,
            .id(space),
            .id(user),
            .integer(now.milliseconds),
            read: Self.invitation
        )
    }

    private static func invitation(_ row: Statement) -> Invitation {
        Invitation(
            token: row.digest(0),
            user: row.id(1),
            space: row.isNull(2) ? nil : row.id(2),
            wrappedKey: row.isNull(3) ? nil : row.blob(3),
            expires: UnixTime(milliseconds: row.integer(4))
        )
    }

    func useInvitation(_ token: Digest, for device: Identifier) throws {
        try database.run(
            "UPDATE invitation SET device_id = $2 WHERE token = $1",
            .digest(token),
            .id(device)
        )
    }

    /// Deletes an invitation that nobody used; false where there is none.
    func deleteInvitation(
        _ token: Digest,
        to space: Identifier,
        of user: Identifier
    ) throws -> Bool {
        let deleted = try database.run(
            """
            DELETE FROM invitation
            WHERE token = $1 AND space_id = $2 AND user_id = $3 AND device_id IS NULL
            """,
            .digest(token),
            .id(space),
            .id(user)
        )
        return deleted == 1
    }
}
