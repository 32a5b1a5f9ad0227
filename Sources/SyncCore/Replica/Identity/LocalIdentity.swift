/// Who this database is.
package struct DeviceIdentity: Equatable, Sendable {
    /// The incarnation of this database file.
    package let replica: Identifier
    /// The device, as it is or will be enrolled.
    package let device: Identifier
    /// The person; the server's word once the device joined.
    package let user: Identifier
    /// What the person calls the device.
    package let name: String
    /// `host:port` of the server, nil before the device joined one.
    package let authority: String?
    /// What shows that a server is this one, nil before the device joined one.
    package let trust: ServerTrust?
    /// The X25519 private key, whose public key is published in each space.
    package let privateKey: Secret
    /// What the server's time says of this boot.
    package let anchor: ClockAnchor?
    /// When the last sync ended well, by the wall clock.
    package let lastSync: UnixTime?
    /// The server's receipt for this device's enrolment, nil before it joined.
    package let enrolment: [UInt8]?
    /// What the server refused last, as a type of problem; nil since a sync ended well.
    package let trouble: String?
}

/// Who this database is: the tables `self` and `device_key`, with the clock.
package struct LocalIdentity {
    let database: Database

    /// Who this database is.
    package func current() throws -> DeviceIdentity {
        let identity = try database.first(
            """
            SELECT replica, device, user, name, authority, private_key, anchor, anchor_boot,
                anchor_uncertainty, last_sync, trouble, trust, enrolment FROM self
            """
        ) { row in
            let trust = row.isNull(11) ? nil : ServerTrust(row.text(11))
            guard trust != nil || row.isNull(4) else { throw ReplicaError.damagedRecord }
            return DeviceIdentity(
                replica: row.id(0),
                device: row.id(1),
                user: row.id(2),
                name: row.text(3),
                authority: row.isNull(4) ? nil : row.text(4),
                trust: trust,
                privateKey: Secret(bytes: row.blob(5)),
                anchor: row.isNull(6)
                    ? nil
                    : ClockAnchor(
                        bootMilliseconds: row.integer(6),
                        boot: row.id(7),
                        uncertaintyMilliseconds: row.integer(8)
                    ),
                lastSync: row.isNull(9) ? nil : UnixTime(milliseconds: row.integer(9)),
                enrolment: row.isNull(12) ? nil : row.blob(12),
                trouble: row.isNull(10) ? nil : row.text(10)
            )
        }
        guard let identity else { throw ReplicaError.missing }
        return identity
    }

    /// The keys that this device shares with its server; none before it joined.
    package func deviceKeys() throws -> DeviceKeys {
        let secrets = try database.all("SELECT epoch, secret FROM device_key") { row in
            (UInt64(bigEndian: row.blob(0)), Secret(bytes: row.blob(1)))
        }
        return DeviceKeys(
            device: try current().device,
            secrets: Dictionary(secrets) { $1 }
        )
    }

    /// Notes the server's time; later seals shift the stamps of a clock that is off.
    package func setAnchor(_ anchor: ClockAnchor) throws {
        try database.run(
            """
            UPDATE self
                SET anchor = \(anchor.bootMilliseconds), anchor_boot = \(anchor.boot),
                anchor_uncertainty = \(anchor.uncertaintyMilliseconds)
            """
        )
    }

    /// Notes when a sync ended well.
    package func setLastSync(_ time: UnixTime) throws {
        try database.run("UPDATE self SET last_sync = \(time.milliseconds), trouble = NULL")
    }

    /// Notes what the server refused, until a sync ends well.
    package func setTrouble(_ problem: String) throws {
        try database.run("UPDATE self SET trouble = \(problem)")
    }

    /// The stamp clock as the file has it; `saveClock(_:)` in the same transaction.
    func loadClock() throws -> StampClock {
        let clock = try database.first("SELECT replica, clock FROM self") {
            StampClock(replica: $0.id(0), last: $0.unsigned(1))
        }
        guard let clock else { throw ReplicaError.missing }
        return clock
    }

    func saveClock(_ clock: StampClock) throws {
        try database.run("UPDATE self SET clock = \(clock.last)")
    }
}
