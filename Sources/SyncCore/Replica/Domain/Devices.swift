/// A device as the members of a space know it.
package struct KnownDevice: Equatable, Sendable {
    /// The device.
    package let id: Identifier
    /// What its person calls it; nil where that did not arrive yet.
    package let name: String?
}

/// The devices of a space's members.
package struct Devices: ReplicaPart {
    package let context: ReplicaContext

    /// Which device each replica of a space belongs to, as their sets tell.
    package func all(in space: Identifier) throws -> [Identifier: KnownDevice] {
        let me = try identity.current()
        var devices = [me.replica: KnownDevice(id: me.device, name: me.name)]
        // A seek for each replica, not a walk through all sets.
        try database.each(
            """
            SELECT r.id, q.upload FROM replica r CROSS JOIN sealed q ON q.number = (
                SELECT number FROM sealed
                WHERE space = \(spaces.number(ofSpace: space)) AND replica = r.number LIMIT 1)
            """
        ) { row in
            let device = try Upload(parsing: row.blob(1)).header.device
            let cells = try rows.cells(CollectionSchema.device.name, .id(device), in: space)
            let name = cells[DeviceField.name]?.value.text
            devices[row.id(0)] = KnownDevice(id: device, name: name)
        }
        return devices
    }

    /// Publishes this device's name and public key where only members can sign.
    func publish(at now: UnixTime) throws {
        let identity = try identity.current()
        let edits = [
            (DeviceField.name, Value.text(Text(identity.name))),
            (DeviceField.key, .bytes(identity.privateKey.publicKey)),
        ]
        try rows.apply(
            edits.map { Edit(Key(CollectionSchema.device.name, .id(identity.device), $0), $1) },
            in: try spaces.number(ofSpace: try spaces.own()),
            at: now
        )
    }
}

extension ReplicaPart {
    package var devices: Devices { Devices(context: context) }
}
