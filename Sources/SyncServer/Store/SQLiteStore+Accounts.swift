internal import SyncCore

extension SQLiteStore {
    func addUser(_ user: Identifier, name: String, invitation: Invitation) async throws {
        try await write { database in
            try database.run(
                "INSERT INTO account (user_id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                .id(user),
                .text(name)
            )
            try Self.insert(invitation, database)
        }
    }

    func enrol(_ device: NewDevice, token: Digest, at now: UnixTime) async throws -> Enrolled {
        try await write { database in
            guard let invitation = try Self.invitation(token, database) else {
                throw StoreError.badToken
            }
            if let present = try Self.device(device.id, database) {
                guard !present.isRevoked else { throw StoreError.deviceTaken }
                guard invitation.device == device.id else { throw StoreError.deviceTaken }
                // The answer got lost, and only for that is it given twice.
                guard !present.hasSigned, now < invitation.invitation.expires,
                    try Self.publicKey(of: device.id, database) == device.publicKey
                else { throw StoreError.badToken }
                return Enrolled(present, by: invitation.invitation)
            }
            guard invitation.device == nil, now < invitation.invitation.expires else {
                throw StoreError.badToken
            }
            // Its name is used up: a database that went back to before it joined takes another.
            guard try !Self.isRevoked(device.id, database) else { throw StoreError.deviceTaken }
            guard try Self.fits(invitation.invitation, device.space, database) else {
                throw StoreError.forbidden
            }
            try Self.insert(device, of: invitation.invitation, at: now, database)
            guard let inserted = try Self.device(device.id, database) else {
                throw StoreError.notFound
            }
            return Enrolled(inserted, by: invitation.invitation)
        }
    }

    /// Whether a link is for the person whose own space a device brings along; of a space that this
    /// server does not know nobody can tell.
    private static func fits(
        _ invitation: Invitation,
        _ own: Identifier?,
        _ database: Database
    ) throws -> Bool {
        guard let own else { return true }
        if let space = invitation.space { return space == own }
        let isMember = try database.first(
            "SELECT max(user_id = $2) FROM member WHERE space_id = $1",
            .id(own),
            .id(invitation.user)
        ) { $0.isNull(0) ? nil : $0.integer(0) == 1 }
        return (isMember ?? nil) ?? true
    }

    func readmit(_ device: NewDevice, of user: Identifier, at now: UnixTime) async throws {
        try await write(isGrowing: true) { database in
            if let present = try Self.device(device.id, database) {
                guard !present.isRevoked else { throw StoreError.deviceRevoked }
                return
            }
            guard try !Self.isRevoked(device.id, database) else { throw StoreError.deviceRevoked }
            // The person's name went with the store; who brings it back is known by a device.
            try database.run(
                "INSERT INTO account (user_id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                .id(user),
                .text(device.name)
            )
            try Self.insert(device, of: user, at: now, database)
        }
    }

    private static func insert(
        _ device: NewDevice,
        of user: Identifier,
        at now: UnixTime,
        _ database: Database
    ) throws {
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

    private static func insert(
        _ device: NewDevice,
        of invitation: Invitation,
        at now: UnixTime,
        _ database: Database
    ) throws {
        try insert(device, of: invitation.user, at: now, database)
        try database.run(
            "UPDATE invitation SET device_id = $2 WHERE token = $1",
            .digest(invitation.token),
            .id(device.id)
        )
    }

    private static func publicKey(
        of device: Identifier,
        _ database: Database
    ) throws -> [UInt8]? {
        try database.first("SELECT public_key FROM device WHERE device_id = $1", .id(device)) {
            $0.blob(0)
        }
    }

    func noteSigned(_ device: Identifier) async throws {
        try await write { database in
            try database.run("UPDATE device SET signed = 1 WHERE device_id = $1", .id(device))
            try database.run(
                "UPDATE invitation SET wrapped_key = NULL WHERE device_id = $1",
                .id(device)
            )
        }
    }

    func device(_ id: Identifier) async throws -> Device? {
        try Self.device(id, database)
    }

    func devices(of user: Identifier) async throws -> [Device] {
        try database.all(
            """
            SELECT device_id, user_id, name, key_epoch, enrolled, revoked, signed FROM device
            WHERE user_id = $1 ORDER BY enrolled, device_id
            """,
            .id(user),
            read: Self.device
        )
    }

    func revoke(_ device: Identifier, of user: Identifier) async throws {
        try await write { database in
            guard try Self.device(device, database)?.user == user else {
                throw StoreError.notFound
            }
            try Self.revoke(device, database)
        }
    }

    /// Shuts devices out that were revoked before an old copy of the file was put back, also those
    /// that the copy does not know yet.
    func replayRevocations(_ devices: [Identifier]) async throws {
        try await write { database in
            for device in devices { try Self.revoke(device, database) }
        }
    }

    static func revoke(_ device: Identifier, _ database: Database) throws {
        try database.run(
            "INSERT INTO revocation (device_id) VALUES ($1) ON CONFLICT DO NOTHING",
            .id(device)
        )
        try database.run("UPDATE device SET revoked = 1 WHERE device_id = $1", .id(device))
    }

    private static func isRevoked(_ device: Identifier, _ database: Database) throws -> Bool {
        try database.first(
            "SELECT 1 FROM revocation WHERE device_id = $1",
            .id(device)
        ) { _ in true } ?? false
    }

    func useNonce(
        _ nonce: String,
        of device: Identifier,
        at now: UnixTime
    ) async throws -> Bool {
        // Twice the window in which a signature is good.
        let oldest = now.milliseconds - 2 * RequestSignature.windowSeconds * 1000
        return try await write { database in
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

    static func device(_ id: Identifier, _ database: Database) throws -> Device? {
        try database.first(
            """
            SELECT device_id, user_id, name, key_epoch, enrolled, revoked, signed FROM device
            WHERE device_id = $1
            """,
            .id(id),
            read: device
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
}

extension SQLiteStore {
    func invite(_ invitation: Invitation, by user: Identifier) async throws {
        try await write { database in
            if let space = invitation.space {
                _ = try Self.role(of: user, in: space, database)
            }
            try Self.insert(invitation, database)
        }
    }

    func invitations(
        to space: Identifier,
        for user: Identifier,
        at now: UnixTime
    ) async throws -> [Invitation] {
        _ = try Self.role(of: user, in: space, database)
        return try database.all(
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

    func withdraw(_ token: Digest, from space: Identifier, by user: Identifier) async throws {
        try await write { database in
            _ = try Self.role(of: user, in: space, database)
            let changed = try database.run(
                """
                DELETE FROM invitation
                WHERE token = $1 AND space_id = $2 AND user_id = $3 AND device_id IS NULL
                """,
                .digest(token),
                .id(space),
                .id(user)
            )
            guard changed == 1 else { throw StoreError.notFound }
        }
    }

    private static func insert(_ invitation: Invitation, _ database: Database) throws {
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
    private static func invitation(
        _ token: Digest,
        _ database: Database
    ) throws -> (invitation: Invitation, device: Identifier?)? {
        try database.first(
            """
            SELECT token, user_id, space_id, wrapped_key, expires, device_id FROM invitation
            WHERE token = $1
            """,
            .digest(token)
        ) { (invitation($0), $0.isNull(5) ? nil : $0.id(5)) }
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
}

extension Enrolled {
    fileprivate init(_ device: Device, by invitation: Invitation) {
        self.init(
            device: device,
            space: invitation.space,
            wrappedKey: invitation.wrappedKey
        )
    }
}
