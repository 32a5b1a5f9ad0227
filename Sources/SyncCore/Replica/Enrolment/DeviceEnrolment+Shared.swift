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

    /// Seals the set by which this device enters a shared space through a link; see
    /// ``ControlSealer/entry(into:by:proof:_:at:)``.
    package func entry(
        into chain: ControlChain,
        by link: KeyPairs,
        _ secret: EpochSecret,
        at now: Moment
    ) throws -> Seal.Sealed {
        let proof = try vouches.proof()
        return try controlSealer.entry(into: chain, by: link, proof: proof, secret, at: now)
    }

    /// Signs that the devices which this one let in are the user's; see
    /// ``Vouches/vouchForNewcomers(at:)``.
    package func vouchForNewcomers(at now: Moment) throws {
        try vouches.vouchForNewcomers(at: now)
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
