/// A device as the members of a space know it.
package struct KnownDevice: Equatable, Sendable {
    package let id: Identifier
    /// The device's name, as its owner chose it, or nil if it has not arrived yet.
    package let name: String?
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
            let cells = try rows.cells(CollectionSchema.device.name, .id(device), in: space)
            let name = cells[DeviceField.name]?.value.text
            devices[row.id(0)] = KnownDevice(id: device, name: name)
        }
        return devices
    }

    /// Publishes this device's name and public key to the members of its user's space.
    func publish(at now: UnixTime) throws {
        let identity = try identity.current()
        let edits = [
            (DeviceField.name, Value.text(Text(identity.name))),
            (DeviceField.key, .bytes(AgreementKey(secret: identity.privateKey).publicKey.bytes)),
        ]
        try rows.apply(
            edits.map { Edit(Key(CollectionSchema.device.name, .id(identity.device), $0), $1) },
            in: try spaces.number(ofSpace: try spaces.own()),
            at: now
        )
    }
}
