internal import SyncCore

extension SQLiteTables {
    func device(_ id: Identifier) throws -> Device? {
        try database.first(
            """
            SELECT device_id, user_id, name, kind, key_epoch, enrolled, revoked FROM device
            WHERE device_id = \(id)
            """,
            read: Self.device
        )
    }

    func devices(of user: Identifier) throws -> [Device] {
        try database.all(
            """
            SELECT device_id, user_id, name, kind, key_epoch, enrolled, revoked FROM device
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
            kind: CardKind(rawValue: row.text(3)) ?? .device,
            keyEpoch: row.unsigned(4),
            enrolled: UnixTime(milliseconds: row.integer(5)),
            isRevoked: row.integer(6) == 1
        )
    }

    /// Adds a device that a control chain admits; one that was ever revoked stays so.
    private func insertDevice(_ card: Card, at now: UnixTime) throws {
        try database.run(
            """
            INSERT INTO device (device_id, user_id, name, kind, key_epoch, enrolled, revoked)
            VALUES (\(card.device), \(card.user), '', \(card.kind.rawValue), 1,
                \(now.milliseconds),
                EXISTS (SELECT 1 FROM revocation WHERE device_id = \(card.device)))
            ON CONFLICT DO NOTHING
            """
        )
    }

    func nameDevice(_ device: Identifier, _ name: String) throws {
        try database.run("UPDATE device SET name = \(name) WHERE device_id = \(device)")
    }

    func revoke(_ device: Identifier) throws {
        try database.run(
            "INSERT INTO revocation (device_id) VALUES (\(device)) ON CONFLICT DO NOTHING"
        )
        try database.run("UPDATE device SET revoked = 1 WHERE device_id = \(device)")
    }
}

extension SQLiteTables {
    /// Returns the role of a device's user in a space, or throws ``StoreError/notFound`` for a device that
    /// is not in it.
    @discardableResult
    func role(of device: Identifier, in space: Identifier) throws -> Role {
        let role = try database.first(
            """
            SELECT m.role FROM card c JOIN member m USING (space_id, user_id)
            WHERE c.space_id = \(space) AND c.device_id = \(device) AND c.ended = 0
            """
        ) { Role(rawValue: $0.text(0)) ?? .viewer }
        guard let role else { throw StoreError.notFound }
        return role
    }

    /// Hosts a space, unless it is hosted already; its members follow from its control chain.
    private func insertSpace(_ space: Identifier) throws {
        try database.run(
            """
            INSERT INTO space (space_id, head, chain, greatest, control_head)
            VALUES (\(space), 0, \(Digest.zero), 0, \(Digest.zero))
            ON CONFLICT DO NOTHING
            """
        )
    }
}

/// The mirror of the control chain.
extension SQLiteTables {
    func storeControls(_ rows: LogRows, in space: Identifier, at now: UnixTime) throws {
        if let founding = rows.founding {
            try database.run(
                """
                UPDATE space SET founder = \(founding.user), kind = \(founding.kind.rawValue)
                WHERE space_id = \(space)
                """
            )
        }
        for control in rows.controls {
            try database.run(
                """
                INSERT INTO control_set (space_id, place, position)
                VALUES (\(space), \(control.index), \(control.position))
                """
            )
        }
        for card in rows.cards { try storeCard(card.card, isLive: card.isLive, in: space, at: now) }
        for row in rows.roles { try storeRole(row.role, of: row.user, in: space) }
        if let (device, byteCount) = rows.kept {
            try database.run(
                """
                UPDATE card SET kept = kept + \(byteCount)
                WHERE space_id = \(space) AND device_id = \(device)
                """
            )
        }
        for device in rows.revoked { try revoke(device) }
    }

    private func storeCard(
        _ card: Card,
        isLive: Bool,
        in space: Identifier,
        at now: UnixTime
    ) throws {
        try insertDevice(card, at: now)
        try database.run(
            """
            INSERT INTO card (space_id, device_id, user_id, ended)
            VALUES (\(space), \(card.device), \(card.user), \(isLive ? 0 : 1))
            ON CONFLICT (space_id, device_id) DO UPDATE SET ended = excluded.ended
            """
        )
    }

    private func storeRole(_ role: Role?, of user: Identifier, in space: Identifier) throws {
        guard let role else {
            try database.run(
                "DELETE FROM member WHERE space_id = \(space) AND user_id = \(user)"
            )
            return
        }
        try database.run(
            "INSERT INTO account (user_id, name) VALUES (\(user), '') ON CONFLICT DO NOTHING"
        )
        try database.run(
            """
            INSERT INTO member (space_id, user_id, role)
            VALUES (\(space), \(user), \(role.rawValue))
            ON CONFLICT (space_id, user_id) DO UPDATE SET role = excluded.role
            """
        )
    }

    /// Hosts the space of a device that enters, if the operator or a receipt lets it.
    func prepare(_ entering: Entering, at now: UnixTime) throws {
        if let token = entering.token { try useToken(token, by: entering, at: now) }
        guard try endIfHosted(of: entering.space) == nil else { return }
        let isProven = entering.sets.first?.proven == .accepted
        guard try entering.token != nil || isProven || mayFound(entering) else {
            throw StoreError.notFound
        }
        try insertSpace(entering.space)
    }

    /// Whether a device founds a space that is hosted because its user is in another one: a shared space,
    /// or the user's own, once.
    private func mayFound(_ entering: Entering) throws -> Bool {
        guard case .control(let set) = entering.sets.first?.content,
            case .found(let founding) = set.body.actions.first,
            let device = try device(founding.card.device), !device.isRevoked,
            device.user == founding.card.user
        else { return false }
        let hasOwn = try ownSpace(of: device.user) != nil
        guard founding.kind == .shared else { return try !hasOwn && isAnywhere(device.id) }
        guard hasOwn else { return false }
        let founded = try database.first(
            """
            SELECT count(*) FROM space
            WHERE founder = \(device.user) AND kind = \(SpaceKind.shared.rawValue)
            """
        ) { $0.integer(0) }
        guard founded ?? 0 < StoreLimits.foundedSpaces else { throw StoreError.tooManySpaces }
        return true
    }

    /// Whether a device is in any space.
    private func isAnywhere(_ device: Identifier) throws -> Bool {
        try database.first("SELECT 1 FROM card WHERE device_id = \(device) AND ended = 0") { _ in
            true
        } ?? false
    }

    func ownSpace(of user: Identifier) throws -> Identifier? {
        try database.first(
            """
            SELECT space_id FROM space
            WHERE founder = \(user) AND kind = \(SpaceKind.own.rawValue)
            """
        ) { $0.id(0) }
    }

    /// Binds a token to the space that it hosts.
    ///
    /// Throws ``StoreError/deviceTaken`` for a device whose space another token hosts already: it is
    /// one of two copies of a database.
    private func useToken(_ token: Digest, by entering: Entering, at now: UnixTime) throws {
        let invitation = try database.first(
            "SELECT expires, space_id FROM invitation WHERE token = \(token)"
        ) { (expires: $0.integer(0), space: $0.isNull(1) ? nil : $0.id(1)) }
        guard let invitation else { throw StoreError.badToken }
        // A retry after a lost answer may come late.
        if let space = invitation.space {
            guard space == entering.space else { throw StoreError.badToken }
            return
        }
        guard now.milliseconds < invitation.expires else { throw StoreError.badToken }
        if let device = entering.device, try self.device(device) != nil,
            try isHostedByToken(entering.space)
        {
            throw StoreError.deviceTaken
        }
        try database.run(
            "UPDATE invitation SET space_id = \(entering.space) WHERE token = \(token)"
        )
    }

    private func isHostedByToken(_ space: Identifier) throws -> Bool {
        try database.first("SELECT 1 FROM invitation WHERE space_id = \(space)") { _ in true }
            ?? false
    }

    /// Stores the names of a device that entered and of its person.
    ///
    /// A space whose founding did not count is not hosted, and its token can be used again.
    func finish(_ entering: Entering, _ chain: ControlChain) throws {
        guard chain.count > 0 else {
            try database.run("DELETE FROM space WHERE space_id = \(entering.space) AND head = 0")
            try database.run(
                "UPDATE invitation SET space_id = NULL WHERE token = \(entering.token)"
            )
            return
        }
        guard let device = entering.device, chain.cards[device]?.isLive == true else { return }
        if let name = entering.name { try nameDevice(device, name) }
        guard let token = entering.token, chain.kind == .own, let user = chain.user else { return }
        try database.run(
            """
            UPDATE account SET name = (SELECT name FROM invitation WHERE token = \(token))
            WHERE user_id = \(user)
            """
        )
    }
}

extension SQLiteTables {
    func insertInvitation(_ invitation: Invitation) throws {
        try database.run(
            """
            INSERT INTO invitation (token, name, expires)
            VALUES (\(invitation.token), \(invitation.name),
                \(invitation.expires.milliseconds)) ON CONFLICT DO NOTHING
            """
        )
    }
}
