extension DeviceEnrolment {
    /// Enters a shared space, which this database keeps beside the own one.
    ///
    /// - Parameter secret: the secret of the newest key epoch.
    package func enterShared(
        _ space: Identifier,
        _ enrolment: Enrolment,
        secret: EpochSecret,
        at now: Moment
    ) throws {
        if try identity.current().authority == nil { try become(enrolment) }
        try database.addSpace(space, kind: .shared)
        let number = try spaces.number(ofSpace: space)
        _ = try adopt(enrolment.controls, in: number, at: now.wall)
        try database.setKey(of: space, epoch: secret.epoch, secret.secret)
        try controls.learnSecrets(of: space)
        try continueReplica(in: number)
        try devices.publish(in: space, at: now)
    }

    /// Merges the control sets up to the one that ended this device's membership of a shared space;
    /// returns whether they have that one.
    package func end(in space: Identifier, _ entries: [[UInt8]], at now: Moment) throws -> Bool {
        let number = try spaces.number(ofSpace: space)
        _ = try adopt(entries, in: number, at: now.wall)
        guard try controls.isIn(space) == false else { return false }
        // The log has nothing more for this device.
        try database.run("UPDATE space SET head = position WHERE number = \(number)")
        return true
    }

    /// Whether there is anything for ``settleDepartures(at:)`` to do.
    package func hasDepartures() throws -> Bool { try departures.isDue() }

    /// Removes the shared spaces that this device is not in any more; see ``Departures/settle(at:)``.
    package func settleDepartures(at now: Moment) throws { try departures.settle(at: now) }

    /// Whether this device is in a shared space, in which another device of its user would not be.
    ///
    /// A device that its server refuses is not.
    package func isSharing() throws -> Bool {
        let me = try identity.current()
        guard me.trouble != "unauthorized" else { return false }
        return try spaces.all().contains { space in
            try space.kind == .shared
                && controls.plannedChain(of: space.id).role(ofDevice: me.device) != nil
        }
    }

    /// Seals the set by which this device enters a shared space; see
    /// ``ControlSealer/entry(into:by:proof:_:at:)``.
    ///
    /// - Parameters:
    ///   - door: the keys of a link, or of a recovery code.
    ///   - isLink: whether they are those of a link.
    package func entry(
        into chain: ControlChain,
        by door: KeyPairs,
        isLink: Bool,
        _ secret: EpochSecret,
        at now: Moment
    ) throws -> Seal.Sealed {
        let proof = isLink ? try vouches.proof() : nil
        return try controlSealer.entry(into: chain, by: door, proof: proof, secret, at: now)
    }

    /// Whether this database has shared spaces.
    package func hasSharedSpaces() throws -> Bool {
        try database.first("SELECT 1 FROM space WHERE kind = 'shared' LIMIT 1") { _ in true }
            ?? false
    }

    /// Lets the user's other devices into the shared spaces of this one, and lists these spaces for them;
    /// returns whether it wrote or sealed anything.
    package func shareWithOwnDevices(at now: Moment) throws -> Bool {
        let hasVouched = try vouches.vouchForNewcomers(at: now)
        let hasCarried = try controlSealer.carryOwnCards(at: now)
        return try memberships.publish(at: now) || hasVouched || hasCarried
    }

    /// Returns the listed shared spaces that this device is not in, in ascending order.
    package func listedSpaces() throws -> [(space: Identifier, anchor: SpaceAnchor)] {
        let present = try spaces.all().filter { try controls.isIn($0.id) == true }.map(\.id)
        return try memberships.listed().filter { !present.contains($0.key) }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Continues the sequence of this replica after the newest set that it has in a space.
    private func continueReplica(in space: Int64) throws {
        let replica = try replicas.number(of: identity.current().replica)
        let newest = try database.first(
            """
            SELECT sequence, hash FROM sealed WHERE space = \(space) AND replica = \(replica)
            ORDER BY sequence DESC LIMIT 1
            """
        ) { (sequence: $0.unsigned(0), hash: $0.digest(1)) }
        guard let newest else { return }
        try database.run(
            """
            UPDATE space SET sequence = \(newest.sequence), previous = \(newest.hash)
            WHERE number = \(space) AND sequence < \(newest.sequence)
            """
        )
    }
}
