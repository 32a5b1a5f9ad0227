/// A server's answer to a device that joined it.
package struct Enrolment: Equatable, Sendable {
    /// `host:port` of the server.
    package let authority: String
    package let trust: ServerTrust
    package let user: Identifier
    /// The keys that the device shares with the server.
    package let deviceKeys: DeviceKeys
    /// The user's own space and its keys.
    ///
    /// Nil for the user's first device, whose own space becomes the user's.
    package let ownSpace: SpaceKeys?
    /// The server's receipt.
    ///
    /// It readmits the device if the server has lost it.
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

package struct DeviceEnrolment: ReplicaPart {
    package let context: ReplicaContext

    /// Makes this database a device of a server, once.
    ///
    /// Earlier changes are still unsealed. They are sealed under the new ids, in the user's own
    /// space.
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

    /// Stores this device's identity and keys at the server.
    func become(_ enrolment: Enrolment) throws {
        try database.run(
            """
            UPDATE self
                SET authority = \(enrolment.authority), trust = \(enrolment.trust.description),
                user = \(enrolment.user), device = \(enrolment.deviceKeys.device),
                enrolment = \(enrolment.receipt)
            """
        )
        try database.addDeviceKeys(enrolment.deviceKeys.secrets)
    }

    /// Stores how the device recognises its server from now on.
    package func setTrust(_ trust: ServerTrust) throws {
        try database.run("UPDATE self SET trust = \(trust.description)")
    }

    /// Gives a copy of a database a device id and an own space of its own.
    ///
    /// For a copy whose original has joined a server meanwhile. Nothing in it is sealed yet.
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

    /// Replaces the own space that this database made by the user's own space.
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

    /// Renames rows that carry the user's or the device's id, after the server has assigned it.
    ///
    /// The cells keep their stamps, so that they do not win over later writes of other devices.
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
            // The replica that will seal the cell. With another one, the cell would differ from the
            // log's.
            let stamp = Stamp(time: cell.stamp.time, replica: replica)
            moved.overlay[field] = Cell(stamp: stamp, encoded: cell.encoded)
            try moveUnsealed(field, cell, from: stored.number, to: moved.number)
        }
        try rows.save(moved)
        try database.run("DELETE FROM unsealed WHERE row = \(stored.number)")
        // The row stays without cells, because sets that were sealed before wrote it.
        var emptied = stored
        (emptied.base, emptied.overlay) = (CellRecord(), CellRecord())
        try rows.save(emptied)
        // Actions may name rows of the earlier user or device.
        try database.run("DELETE FROM action")
    }

    /// Moves an unsealed field.
    ///
    /// A field that was sealed before becomes a reissued one.
    private func moveUnsealed(_ field: Text, _ cell: Cell, from old: Int64, to new: Int64) throws {
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
