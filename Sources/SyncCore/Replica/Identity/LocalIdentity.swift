/// The identity of this database.
package struct DeviceIdentity: Equatable, Sendable {
    /// The id of this incarnation of the database file.
    package let replica: Identifier
    /// The device id, which follows from the keys.
    package let device: Identifier
    /// The user id: of this device's own founding, until it joins the space of another device.
    package let user: Identifier
    /// The device's name, as its owner chose it.
    package let name: String
    /// `host:port` of the server, or nil before the device has joined.
    package let authority: String?
    /// How the device recognises its server, or nil before it has joined.
    package let trust: ServerTrust?
    /// The permanent keys, which no server knows.
    package let keys: KeyPairs
    /// The server's time in this boot, or nil if unknown.
    package let anchor: ClockAnchor?
    /// The wall-clock time of the last successful sync.
    package let lastSync: UnixTime?
    /// The problem type of the server's last refusal, or nil after a successful sync.
    package let trouble: String?

    /// Returns the server's time at a moment, or that of the wall clock where it is unknown.
    package func time(at moment: Moment) -> UnixTime { anchor?.time(at: moment) ?? moment.wall }
}

/// The identity of this database, with its clock: the tables `self` and `device_key`.
package struct LocalIdentity {
    let database: Database

    package func current() throws -> DeviceIdentity {
        let identity = try database.first(
            """
            SELECT replica, device, user, name, authority, signing_key, anchor, anchor_boot,
                anchor_uncertainty, last_sync, trouble, trust, agreement_key FROM self
            """
        ) { row in
            let trust = row.isNull(11) ? nil : ServerTrust(row.text(11))
            guard trust != nil || row.isNull(4),
                let keys = KeyPairs(signing: row.blob(5), agreement: row.blob(12))
            else { throw ReplicaError.damagedRecord }
            return DeviceIdentity(
                replica: row.id(0),
                device: row.id(1),
                user: row.id(2),
                name: row.text(3),
                authority: row.isNull(4) ? nil : row.text(4),
                trust: trust,
                keys: keys,
                anchor: row.isNull(6)
                    ? nil
                    : ClockAnchor(
                        bootMilliseconds: row.integer(6),
                        boot: row.id(7),
                        uncertaintyMilliseconds: row.integer(8)
                    ),
                lastSync: row.isNull(9) ? nil : UnixTime(milliseconds: row.integer(9)),
                trouble: row.isNull(10) ? nil : row.text(10)
            )
        }
        guard let identity else { throw try database.identityError() }
        return identity
    }

    /// Returns the keys that this device shares with its server; none before it has joined.
    package func deviceKeys() throws -> DeviceKeys {
        let secrets = try database.all("SELECT epoch, secret FROM device_key") { row in
            (UInt64(bigEndian: row.blob(0)), Secret(bytes: row.blob(1)))
        }
        return DeviceKeys(device: try current().device, secrets: Dictionary(secrets) { $1 })
    }

    /// Stores the server's time.
    ///
    /// Sealing then corrects the stamps of a wrong clock.
    package func setAnchor(_ anchor: ClockAnchor) throws {
        try database.run(
            """
            UPDATE self
                SET anchor = \(anchor.bootMilliseconds), anchor_boot = \(anchor.boot),
                anchor_uncertainty = \(anchor.uncertaintyMilliseconds)
            """
        )
    }

    package func setLastSync(_ time: UnixTime) throws {
        try database.run("UPDATE self SET last_sync = \(time.milliseconds), trouble = NULL")
    }

    /// Stores a refusal by the server until the next successful sync.
    package func setTrouble(_ problem: String) throws {
        try database.run("UPDATE self SET trouble = \(problem)")
    }

    /// Returns the stored stamp clock.
    ///
    /// Save it with `saveClock(_:)` in the same transaction.
    func loadClock() throws -> StampClock { try loadClocks().stamps }

    /// Returns the stored stamp clock, and the packed periods of the wall clock.
    func loadClocks() throws -> (stamps: StampClock, periods: [UInt8]) {
        let clock = try database.first("SELECT replica, clock, clock_periods FROM self") {
            (StampClock(replica: $0.id(0), last: $0.unsigned(1)), $0.blob(2))
        }
        guard let clock else { throw try database.identityError() }
        return clock
    }

    func setClockPeriods(_ packed: [UInt8]) throws {
        try database.run("UPDATE self SET clock_periods = \(packed)")
    }

    func saveClock(_ clock: StampClock) throws {
        try database.run("UPDATE self SET clock = \(clock.last)")
    }
}
