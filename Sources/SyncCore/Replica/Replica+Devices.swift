extension Replica {
    /// A device as the members of a space know it.
    package struct KnownDevice: Equatable, Sendable {
        /// The device.
        package let id: Identifier
        /// What its person calls it; nil where that did not arrive yet.
        package let name: String?
    }

    /// Which device each replica of a space belongs to, as their sets tell.
    package func devices(in space: Identifier) throws -> [Identifier: KnownDevice] {
        let me = try identity()
        var devices = [me.replica: KnownDevice(id: me.device, name: me.name)]
        try database.each(
            """
            SELECT r.id, q.upload FROM sealed q JOIN replica r ON r.number = q.replica
            WHERE q.space = $1 GROUP BY q.replica
            """,
            .integer(try number(ofSpace: space))
        ) { row in
            let device = try Upload(parsing: row.blob(1)).header.device
            let name = try cells("device", .id(device), in: space)["name"]?.value.text
            devices[row.id(0)] = KnownDevice(id: device, name: name)
        }
        return devices
    }
}
