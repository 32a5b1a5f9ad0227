internal import SyncCore

extension SQLiteTables {
    func insertUser(_ user: Identifier, name: String) throws {
        try database.run(
            "INSERT INTO account (user_id, name) VALUES (\(user), \(name)) ON CONFLICT DO NOTHING"
        )
    }

    func device(_ id: Identifier) throws -> Device? {
        try database.first(
            """
            SELECT device_id, user_id, name, key_epoch, enrolled, revoked, signed FROM device
            WHERE device_id = \(id)
            """,
            read: Self.device
        )
    }

    func devices(of user: Identifier) throws -> [Device] {
        try database.all(
            """
            SELECT device_id, user_id, name, key_epoch, enrolled, revoked, signed FROM device
            WHERE user_id = \(user) ORDER BY enrolled, device_id
            """,
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
        try database.first("SELECT public_key FROM device WHERE device_id = \(device)") {
            $0.blob(0)
        }
    }

    func insertDevice(_ device: NewDevice, of user: Identifier, at now: UnixTime) throws {
        try database.run(
            """
            INSERT INTO device (device_id, user_id, name, public_key, key_epoch, enrolled,
                revoked, signed)
            VALUES (\(device.id), \(user), \(device.name), \(device.publicKey), 1,
                \(now.milliseconds), 0, 0)
            """
        )
    }

    func noteSigned(_ device: Identifier) throws {
        try database.run("UPDATE device SET signed = 1 WHERE device_id = \(device)")
        try database.run("UPDATE invitation SET wrapped_key = NULL WHERE device_id = \(device)")
    }

    func revoke(_ device: Identifier) throws {
        try database.run(
            "INSERT INTO revocation (device_id) VALUES (\(device)) ON CONFLICT DO NOTHING"
        )
        try database.run("UPDATE device SET revoked = 1 WHERE device_id = \(device)")
    }

    func isRevoked(_ device: Identifier) throws -> Bool {
        try database.first(
            "SELECT 1 FROM revocation WHERE device_id = \(device)"
        ) { _ in true } ?? false
    }
}

extension SQLiteTables {
    /// Returns a person's role in a space, or throws ``StoreError/notFound`` for a non-member.
    @discardableResult
    func role(of user: Identifier, in space: Identifier) throws -> Role {
        guard let role = try roleIfMember(user, of: space) else { throw StoreError.notFound }
        return role
    }

    func roleIfMember(_ user: Identifier, of space: Identifier) throws -> Role? {
        try database.first(
            "SELECT role FROM member WHERE space_id = \(space) AND user_id = \(user)"
        ) { Role(rawValue: $0.integer(0)) ?? .viewer }
    }

    /// Whether a person is a member of a space, or nil for an unknown space.
    func isMember(_ user: Identifier, of space: Identifier) throws -> Bool? {
        let isMember = try database.first(
            "SELECT max(user_id = \(user)) FROM member WHERE space_id = \(space)"
        ) { $0.isNull(0) ? nil : $0.integer(0) == 1 }
        return isMember ?? nil
    }

    /// Creates a space with its owner, unless it exists.
    func insertSpace(_ space: Identifier, owner user: Identifier) throws {
        let inserted = try database.run(
            """
            INSERT INTO space (space_id, head, chain, greatest)
            VALUES (\(space), 0, \(Digest.zero), 0)
            ON CONFLICT DO NOTHING
            """
        )
        guard inserted == 1 else { return }
        try database.run(
            """
            INSERT INTO member (space_id, user_id, role)
            VALUES (\(space), \(user), \(Role.owner.rawValue))
            """
        )
    }
}

extension SQLiteTables {
    func insertInvitation(_ invitation: Invitation) throws {
        try database.run(
            """
            INSERT INTO invitation (token, user_id, space_id, wrapped_key, expires)
            VALUES (\(invitation.token), \(invitation.user), \(invitation.space),
                \(invitation.wrappedKey), \(invitation.expires.milliseconds)) ON CONFLICT DO NOTHING
            """
        )
    }

    /// Returns an invitation and the id of the device that used it.
    func invitation(_ token: Digest) throws -> (invitation: Invitation, device: Identifier?)? {
        try database.first(
            """
            SELECT token, user_id, space_id, wrapped_key, expires, device_id FROM invitation
            WHERE token = \(token)
            """
        ) { (Self.invitation($0), $0.isNull(5) ? nil : $0.id(5)) }
    }

    static func invitation(_ row: Statement) -> Invitation {
        Invitation(
            token: row.digest(0),
            user: row.id(1),
            space: row.isNull(2) ? nil : row.id(2),
            wrappedKey: row.isNull(3) ? nil : row.blob(3),
            expires: UnixTime(milliseconds: row.integer(4))
        )
    }

    func useInvitation(_ token: Digest, for device: Identifier) throws {
        try database.run("UPDATE invitation SET device_id = \(device) WHERE token = \(token)")
    }
}
