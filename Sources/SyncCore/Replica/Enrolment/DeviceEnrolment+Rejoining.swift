package struct NextDevice: Sendable {
    package let id: Identifier
    /// The X25519 private key.
    package let privateKey: Secret
}

extension DeviceEnrolment {
    /// Returns the device that this database becomes through a link.
    ///
    /// Deterministic: the same token gives the same device, so an enrolment can be repeated if the
    /// answer was lost.
    package func nextDevice(token: [UInt8]) throws -> NextDevice {
        let key = try identity.current().privateKey
        let name = key.derive("wake/1/next-device", salt: token).bytes.prefix(16)
        guard let id = Identifier(bytes: name) else { throw ReplicaError.damagedRecord }
        return NextDevice(id: id, privateKey: key.derive("wake/1/next-device-key", salt: token))
    }

    /// Makes this database another device, of the same server or of one that never knew it.
    ///
    /// All data stays. Sets that the server's log lacks are offered, and reissued under the new
    /// device if the server does not accept them. Throws ``ReplicaError/anotherPerson(ownSpace:)``
    /// for another user's link, so that the data of two users never mix.
    package func rejoin(_ enrolment: Enrolment, as device: NextDevice, at now: UnixTime) throws {
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
