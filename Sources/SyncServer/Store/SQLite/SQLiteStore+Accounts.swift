internal import SyncCore

extension SQLiteStore {
    func addUser(_ user: Identifier, name: String, invitation: Invitation) async throws {
        try await write { tables in
            try tables.insertUser(user, name: name)
            try tables.insertInvitation(invitation)
        }
    }

    func enrol(_ device: NewDevice, token: Digest, at now: UnixTime) async throws -> Enrolled {
        try await write { tables in
            guard let (invitation, user) = try tables.invitation(token) else {
                throw StoreError.badToken
            }
            if let present = try tables.device(device.id) {
                guard !present.isRevoked, user == device.id else { throw StoreError.deviceTaken }
                // A retry after a lost answer; any other second use of the token is rejected.
                guard !present.hasSigned, now < invitation.expires,
                    try tables.publicKey(of: device.id) == device.publicKey
                else { throw StoreError.badToken }
                return Enrolled(present, by: invitation)
            }
            guard user == nil, now < invitation.expires else { throw StoreError.badToken }
            return try tables.enrol(device, by: invitation, at: now)
        }
    }

    func readmit(_ device: NewDevice, of user: Identifier, at now: UnixTime) async throws {
        try await write(isGrowing: true) { tables in
            if let present = try tables.device(device.id) {
                guard !present.isRevoked else { throw StoreError.deviceRevoked }
                return
            }
            guard try !tables.isRevoked(device.id) else { throw StoreError.deviceRevoked }
            // The person's name was lost with the store; the device's name stands in for it.
            try tables.insertUser(user, name: device.name)
            try tables.insertDevice(device, of: user, at: now)
        }
    }

    func noteSigned(_ device: Identifier) async throws {
        try await write { try $0.noteSigned(device) }
    }

    func device(_ id: Identifier) async throws -> Device? { try tables.device(id) }

    func devices(of user: Identifier) async throws -> [Device] { try tables.devices(of: user) }

    func revoke(_ device: Identifier, of user: Identifier) async throws {
        try await write { tables in
            guard try tables.device(device)?.user == user else { throw StoreError.notFound }
            try tables.revoke(device)
        }
    }

    func replayRevocations(_ devices: [Identifier]) async throws {
        try await write { tables in
            for device in devices { try tables.revoke(device) }
        }
    }

    func useNonce(_ nonce: String, of device: Identifier, at now: UnixTime) async throws -> Bool {
        let oldest = now.milliseconds - StoreLimits.nonceMilliseconds
        return try await write { tables in
            try tables.database.run("DELETE FROM nonce WHERE seen < \(oldest)")
            let inserted = try tables.database.run(
                """
                INSERT INTO nonce (device_id, nonce, seen)
                VALUES (\(device), \(nonce), \(now.milliseconds))
                ON CONFLICT DO NOTHING
                """
            )
            return inserted == 1
        }
    }
}

extension SQLiteStore {
    func createSpace(_ space: Identifier, owner user: Identifier) async throws {
        try await write(isGrowing: true) { tables in
            try tables.insertSpace(space, owner: user)
            try tables.role(of: user, in: space)
        }
    }

    func spaces(of user: Identifier) async throws -> [Membership] {
        try database.all(
            """
            SELECT m.space_id, m.role, s.head FROM member m JOIN space s USING (space_id)
            WHERE m.user_id = \(user) ORDER BY m.space_id
            """
        ) {
            Membership(
                space: $0.id(0),
                role: Role(rawValue: $0.integer(1)) ?? .viewer,
                head: $0.unsigned(2)
            )
        }
    }

    func owner(of space: Identifier) async throws -> Identifier {
        let owner = try database.first(
            "SELECT user_id FROM member WHERE space_id = \(space) AND role = \(Role.owner.rawValue)"
        ) { $0.id(0) }
        guard let owner else { throw StoreError.notFound }
        return owner
    }

    func invite(_ invitation: Invitation, by user: Identifier) async throws {
        try await write { tables in
            if let space = invitation.space { try tables.role(of: user, in: space) }
            try tables.insertInvitation(invitation)
        }
    }

    func invitations(
        to space: Identifier,
        for user: Identifier,
        at now: UnixTime
    ) async throws -> [Invitation] {
        try tables.role(of: user, in: space)
        return try database.all(
            """
            SELECT token, user_id, space_id, wrapped_key, expires FROM invitation
            WHERE space_id = \(space) AND user_id = \(user) AND expires > \(now.milliseconds)
                AND device_id IS NULL
            ORDER BY expires, token
            """,
            read: SQLiteTables.invitation
        )
    }

    func withdraw(_ token: Digest, from space: Identifier, by user: Identifier) async throws {
        try await write { tables in
            try tables.role(of: user, in: space)
            let deleted = try tables.database.run(
                """
                DELETE FROM invitation
                WHERE token = \(token) AND space_id = \(space) AND user_id = \(user)
                    AND device_id IS NULL
                """
            )
            guard deleted == 1 else { throw StoreError.notFound }
        }
    }
}

extension SQLiteTables {
    /// Enrols an unknown device by an unused invitation.
    fileprivate func enrol(
        _ device: NewDevice,
        by invitation: Invitation,
        at now: UnixTime
    ) throws -> Enrolled {
        // The id of a revoked device stays taken, also if a restore lost the device itself.
        guard try !isRevoked(device.id) else { throw StoreError.deviceTaken }
        guard try fits(invitation, device.space) else { throw StoreError.forbidden }
        try insertDevice(device, of: invitation.user, at: now)
        try useInvitation(invitation.token, for: device.id)
        guard let enrolled = try self.device(device.id) else { throw StoreError.notFound }
        return Enrolled(enrolled, by: invitation)
    }

    /// Whether an invitation is for the person whose own space a device brings along.
    ///
    /// True if the server does not know that space.
    private func fits(_ invitation: Invitation, _ own: Identifier?) throws -> Bool {
        guard let own else { return true }
        if let space = invitation.space { return space == own }
        return try isMember(invitation.user, of: own) ?? true
    }
}
