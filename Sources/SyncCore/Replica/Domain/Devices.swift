/// A device as the members of a space know it.
package struct KnownDevice: Equatable, Sendable {
    package let id: Identifier
    /// The device's name, as its owner chose it, or nil if it has not arrived yet.
    package let name: String?
}

/// A device or a recovery code of the user, as the control chain of the own space has it.
package struct ListedDevice: Equatable, Sendable {
    package let id: Identifier
    /// The device's name, or nil if it has not arrived yet; a recovery code has none.
    package let name: String?
    package let kind: CardKind
    /// When its card was made, by the clock of who made it.
    package let since: UnixTime
    /// The device whose link let it in, or that vouched for it; nil for the first device.
    package let voucher: Identifier?
    /// When it was revoked, by the clock of who revoked it.
    package let revoked: UnixTime?
}

/// A link that lets a further device of the user in, as long as nobody has used it.
package struct ListedLink: Equatable, Sendable {
    package let id: Identifier
    /// The device that made it.
    package let maker: Identifier
    /// When it ends, by the server's clock.
    package let expires: UnixTime
}

package struct Devices: ReplicaPart {
    package let context: ReplicaContext

    /// Returns the device of each replica of a space, from the headers of their sets.
    package func all(in space: Identifier) throws -> [Identifier: KnownDevice] {
        let me = try identity.current()
        var devices = [me.replica: KnownDevice(id: me.device, name: me.name)]
        // One index seek for each replica instead of a scan of all sets.
        try database.each(
            """
            SELECT r.id, q.upload FROM replica r CROSS JOIN sealed q ON q.number = (
                SELECT number FROM sealed
                WHERE space = \(spaces.number(ofSpace: space)) AND replica = r.number LIMIT 1)
            """
        ) { row in
            let device = try Upload(parsing: row.blob(1)).header.device
            devices[row.id(0)] = KnownDevice(id: device, name: try name(of: device, in: space))
        }
        return devices
    }

    /// Returns a device's name as it was published; this device knows its own without that.
    package func name(of device: Identifier, in space: Identifier) throws -> String? {
        let cells = try rows.cells(CollectionSchema.device.name, .id(device), in: space)
        if let name = cells[DeviceField.name]?.value.text { return name }
        let me = try identity.current()
        return device == me.device ? me.name : nil
    }

    /// Returns the devices and recovery codes of the user in the order in which they were admitted.
    package func listed() throws -> [ListedDevice] {
        let own = try spaces.own()
        let cards = try controls.chain(of: own).cards.values
        return try cards.sorted {
            ($0.term.admitted, $0.card.device) < ($1.term.admitted, $1.card.device)
        }
        .map { known in
            let id = known.card.device
            return ListedDevice(
                id: id,
                name: try name(of: id, in: own),
                kind: known.card.kind,
                since: known.term.time,
                voucher: known.voucher,
                revoked: known.end?.time
            )
        }
    }

    /// Returns the links that still let a device in, the first to end first.
    ///
    /// A link ends by the server's time.
    package func links(at now: Moment) throws -> [ListedLink] {
        let time = try identity.current().time(at: now)
        return try controls.chain(of: try spaces.own()).openInvitations
            .filter { !$0.value.invitation.isExpired(at: time) }
            .map { id, known in
                ListedLink(id: id, maker: known.maker, expires: known.invitation.end)
            }
            .sorted { ($0.expires, $0.id) < ($1.expires, $1.id) }
    }

    /// Publishes this device's name to the members of a space.
    func publish(in space: Identifier, at now: Moment) throws {
        let identity = try identity.current()
        let key = Key(CollectionSchema.device.name, .id(identity.device), DeviceField.name)
        try rows.apply(
            [Edit(key, .text(Text(identity.name)))],
            in: try spaces.number(ofSpace: space),
            at: now
        )
    }
}
