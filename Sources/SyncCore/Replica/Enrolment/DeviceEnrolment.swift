/// What a server gave a device that joined it.
package struct Enrolment: Equatable, Sendable {
    /// `host:port` of the server.
    package let authority: String
    /// What shows that a server is this one.
    package let trust: ServerTrust
    /// The person.
    package let user: Identifier
    /// The keys that device and server share.
    package let deviceKeys: DeviceKeys
    /// The person's own space and its keys; nil for a person's first device, whose own space
    /// becomes it.
    package let ownSpace: SpaceKeys?
    /// What the server takes the device back by, should it lose it.
    package let receipt: [UInt8]

    package init(
        authority: String,
        trust: ServerTrust,
        user: Identifier,
        deviceKeys: DeviceKeys,
        ownSpace: SpaceKeys?,
        receipt: [UInt8]
    ) {
        self.authority = authority
        self.trust = trust
        self.user = user
        self.deviceKeys = deviceKeys
        self.ownSpace = ownSpace
        self.receipt = receipt
    }
}

/// Makes this database a device of a server.
package struct DeviceEnrolment: ReplicaPart {
    package let context: ReplicaContext

    /// Makes this database a device of a server, once.
    ///
    /// What was written before goes along: nothing of it was sealed yet, so it is sealed under the
    /// new names, in the person's own space.
    package func join(_ enrolment: Enrolment, at now: UnixTime) throws {
        if let authority = try identity.current().authority {
            throw ReplicaError.alreadyJoined(authority: authority)
        }
        let userBefore = try identity.current().user
        try become(enrolment)
        if let keys = enrolment.ownSpace { try moveOwnSpace(to: keys) }
        try moveRows(from: .user(userBefore), to: .user(enrolment.user))
        try devices.publish(at: now)
    }

    /// Notes who this database is to its server.
    func become(_ enrolment: Enrolment) throws {
        try database.run(
            """
            UPDATE self
                SET authority = \(enrolment.authority), trust = \(enrolment.trust.description),
                user = \(enrolment.user), device = \(enrolment.deviceKeys.device),
                enrolment = \(enrolment.receipt)
            """
        )
        for (epoch, secret) in enrolment.deviceKeys.secrets {
            try database.run(
                """
                INSERT INTO device_key (epoch, secret)
                VALUES (\(epoch.bigEndianBytes), \(secret.bytes))
                """
            )
        }
    }

    /// Notes what shows from now on that a server is the one that this device joined.
    package func setTrust(_ trust: ServerTrust) throws {
        try database.run("UPDATE self SET trust = \(trust.description)")
    }

    /// Makes a copy of a database that joined meanwhile another device, with a space of its own;
    /// nothing of it was sealed yet.
    package func becomeAnotherDevice() throws {
        if let authority = try identity.current().authority {
            throw ReplicaError.alreadyJoined(authority: authority)
        }
        try database.run(
            """
            UPDATE self
                SET device = \(newIdentifier()),
                private_key = \(newIdentifier().bytes + newIdentifier().bytes)
            """
        )
        let secret = Secret(bytes: newIdentifier().bytes + newIdentifier().bytes)
        try moveOwnSpace(to: SpaceKeys(space: newIdentifier(), secrets: [1: secret]))
        try overlay.takeNewReplicaID()
    }

    /// The space that this database made for itself gives way to the person's own.
    private func moveOwnSpace(to keys: SpaceKeys) throws {
        let old = try spaces.own()
        guard old != keys.space else { return }
        let number = try spaces.number(ofSpace: old)
        try database.run("UPDATE space SET id = \(keys.space) WHERE number = \(number)")
        try database.run("DELETE FROM space_key WHERE space = \(number)")
        for (epoch, secret) in keys.secrets {
            try database.setKey(of: keys.space, epoch: epoch, secret)
        }
    }

    /// Some rows have the person's or the device's name, which only now is the server's.
    ///
    /// They keep their stamps, so that they do not win over what another device wrote since.
    func moveRows(from old: Row, to new: Row) throws {
        guard old != new else { return }
        for schema in collections.all where schema.writers == .oneself {
            try move(schema.name, from: old, to: new)
        }
    }

    private func move(_ collection: Text, from old: Row, to new: Row) throws {
        let space = try spaces.number(ofSpace: try spaces.own())
        guard let stored = try rows.find(space, collection, old) else { return }
        let replica = try identity.loadClock().replica
        var moved = try rows.open(space, collection, new)
        for (field, cell) in stored.cells {
            // As it will be sealed: else it would stand over what the log brings of it.
            let stamp = Stamp(time: cell.stamp.time, replica: replica)
            moved.overlay.cells[field] = Cell(stamp: stamp, encoded: cell.encoded)
            try moveUnsealed(field, cell, from: stored.number, to: moved.number)
        }
        try rows.save(moved)
        try database.run("DELETE FROM unsealed WHERE row = \(stored.number)")
        // The row stays without cells, because sets that were sealed before wrote it.
        var emptied = stored
        (emptied.base, emptied.overlay) = (CellRecord(), CellRecord())
        try rows.save(emptied)
        // They may name the row of who this was.
        try database.run("DELETE FROM action")
    }

    /// What was sealed before has a right stamp; what was not is corrected as it would have been.
    private func moveUnsealed(
        _ field: Text,
        _ cell: Cell,
        from old: Int64,
        to new: Int64
    ) throws {
        try database.run(
            """
            INSERT INTO unsealed (row, field, time, value, wall, reissued)
            SELECT \(new), \(field.utf8), \(cell.stamp.time), \(cell.encoded), coalesce(u.wall,
                \(cell.stamp.wall.milliseconds)), coalesce(u.reissued, 1)
            FROM (SELECT 1) LEFT JOIN unsealed u ON u.row = \(old) AND u.field = \(field.utf8)
            WHERE true ON CONFLICT (row, field) DO UPDATE
            SET time = excluded.time, value = excluded.value, wall = excluded.wall,
                reissued = excluded.reissued
            """
        )
    }
}

extension ReplicaPart {
    package var enrolment: DeviceEnrolment { DeviceEnrolment(context: context) }
}
