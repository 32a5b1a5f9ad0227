/// A device that this database can become.
package struct NextDevice: Sendable {
    /// Its id.
    package let id: Identifier
    /// Its X25519 private key.
    package let privateKey: Secret
}

extension DeviceEnrolment {
    /// The device that this database becomes by a link: the same one each time that it is asked, so
    /// that an enrolment whose answer was lost can be repeated.
    package func nextDevice(token: [UInt8]) throws -> NextDevice {
        let key = try identity.current().privateKey
        let name = key.derive("wake/1/next-device", salt: token).bytes.prefix(16)
        guard let id = Identifier(bytes: name) else { throw ReplicaError.damagedRecord }
        return NextDevice(id: id, privateKey: key.derive("wake/1/next-device-key", salt: token))
    }

    /// Makes this database another device, of the same server or of one that never knew it.
    ///
    /// Everything stays: what the server's log lacks is offered, and what it cannot take under its
    /// old name is written again under the new one. ``ReplicaError/anotherPerson(ownSpace:)`` where
    /// the link is another person's: two persons' data are never mixed.
    package func rejoin(
        _ enrolment: Enrolment,
        as device: NextDevice,
        at now: UnixTime
    ) throws {
        let own = try spaces.own()
        if let space = enrolment.ownSpace?.space, space != own {
            throw ReplicaError.anotherPerson(ownSpace: own)
        }
        let before = try identity.current()
        for space in try database.all("SELECT number FROM space", read: { $0.integer(0) }) {
            try rebase.giveUpLog(of: space)
        }
        try overlay.takeNewReplicaID()
        try database.run(
            """
            UPDATE self
                SET private_key = \(device.privateKey.bytes), anchor = NULL, last_sync = NULL,
                trouble = NULL
            """
        )
        try database.run("DELETE FROM device_key")
        try become(enrolment)
        try moveRows(from: .user(before.user), to: .user(enrolment.user))
        try moveRows(from: .device(before.device), to: .device(enrolment.deviceKeys.device))
        try devices.publish(at: now)
    }
}
