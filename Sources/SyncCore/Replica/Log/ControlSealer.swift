/// Seals control sets, by which this device changes who is in a space and which keys count.
package struct ControlSealer: ReplicaPart {
    package let context: ReplicaContext

    /// Founds the own space of a new database.
    func foundOwnSpace(
        by keys: KeyPairs,
        at now: UnixTime,
        using generator: inout some RandomNumberGenerator
    ) throws {
        var plan = ControlPlan()
        let secret = plan.found(.own, by: keys, using: &generator)
        try database.addSpace(secret.space, kind: .own)
        try found(plan, secret, at: now)
    }

    /// Seals a founding; the founder counts as a member at once, before any server hears of it.
    private func found(_ plan: ControlPlan, _ secret: EpochSecret, at now: UnixTime) throws {
        try database.setKey(of: secret.space, epoch: 1, secret.secret)
        let number = try spaces.number(ofSpace: secret.space)
        let set = try seal(plan, in: number, at: now)
        try controls.merge(set.set, number: set.number, into: number)
    }

    /// Founds an own space again, in the place of one that this database has.
    func refound(_ old: Identifier, by keys: KeyPairs, at now: UnixTime) throws {
        var plan = ControlPlan()
        var random = random
        let secret = plan.found(.own, by: keys, using: &random)
        let number = try spaces.number(ofSpace: old)
        try database.run("UPDATE space SET id = \(secret.space) WHERE number = \(number)")
        try found(plan, secret, at: now)
    }

    /// Invites a further device of the user into the own space, by a link.
    package func invite(by link: KeyPairs, until expires: UnixTime, at now: UnixTime) throws {
        let own = try spaces.own()
        var plan = ControlPlan()
        var random = random
        let secret = try newestSecret(of: own)
        plan.invite(link.publicKeys, until: expires, with: secret, using: &random)
        try seal(plan, in: try spaces.number(ofSpace: own), at: now)
    }

    /// Adds the card of a recovery code to the own space.
    package func add(_ code: RecoveryCode, at now: UnixTime) throws {
        let own = try spaces.own()
        let number = try spaces.number(ofSpace: own)
        let identity = try identity.current()
        var plan = ControlPlan()
        var random = random
        plan.add(
            Card(code.keys, of: identity.user, as: .recovery),
            to: try controls.plannedChain(ofSpace: number),
            vouchedBy: identity.keys,
            with: try newestSecret(of: own),
            using: &random
        )
        try seal(plan, in: number, at: now)
    }

    /// Revokes devices in the own space, cuts them at their last known sets, and begins a key
    /// epoch.
    package func revoke(_ devices: [Identifier], at now: UnixTime) throws {
        let own = try spaces.own()
        let number = try spaces.number(ofSpace: own)
        try seal(try revocation(of: devices, in: number, own), in: number, at: now)
    }

    private func revocation(
        of devices: [Identifier],
        in number: Int64,
        _ space: Identifier
    ) throws -> ControlPlan {
        let chain = try controls.plannedChain(ofSpace: number)
        let cuts = try lastSets(in: number).filter { devices.contains($0.device) }.map(\.cut)
        var plan = ControlPlan([
            .revoke(
                ControlAction.Revocation(devices: devices, cuts: cuts, isRetroactive: false)
            )
        ])
        // A device that revokes itself may not begin the epoch after it; another one does.
        guard try !devices.contains(identity.current().device) else { return plan }
        try begin(&plan, chain, without: devices, in: space)
        return plan
    }

    /// Adds the key epoch after a removal: its secret is for everyone who is left.
    private func begin(
        _ plan: inout ControlPlan,
        _ chain: ControlChain,
        without devices: [Identifier] = [],
        in space: Identifier
    ) throws {
        var random = random
        let links = chain.invitations.filter { devices.contains($0.value.maker) }.keys
        let remaining = chain.recipients.filter {
            !devices.contains($0.key) && !links.contains($0.key)
        }
        plan.beginEpoch(
            after: try newestSecret(of: space),
            for: remaining,
            using: &random
        )
    }

    /// Begins the key epoch that a removal demands, if its author did not.
    func beginMissingEpoch(in number: Int64, at now: UnixTime) throws {
        guard context.chains[number]?.needsEpoch == true else { return }
        let chain = try controls.plannedChain(ofSpace: number)
        let device = try identity.current().device
        guard chain.needsEpoch, chain.cards[device]?.isLive == true else { return }
        var plan = ControlPlan()
        try begin(&plan, chain, in: chain.space)
        try seal(plan, in: number, at: now)
    }

    /// Returns the last set of each replica in the merged log, with the device that sealed it.
    private func lastSets(in space: Int64) throws -> [(device: Identifier, cut: ReplicaCut)] {
        try database.all(
            """
            SELECT upload, max(sequence) FROM sealed
            WHERE space = \(space) AND position IS NOT NULL AND coalesce(verdict, 0) = 0
            GROUP BY replica
            """
        ) { row in
            let upload = try Upload(parsing: row.blob(0))
            let cut = ReplicaCut(
                replica: upload.header.replica,
                sequence: upload.header.sequence,
                hash: upload.hash
            )
            return (upload.header.device, cut)
        }
    }

    /// Takes back an own set that the log will never accept, and seals its actions again.
    func redo(_ lost: QueuedSet, in number: Int64, at now: UnixTime) throws {
        try database.run(
            "UPDATE sealed SET control = NULL, reissued = 1 WHERE number = \(lost.number)"
        )
        try redo(try ControlSet(lost.upload, body: lost.body), in: number, at: now)
    }

    /// Plans and seals the actions of a stale set again, as far as they still make sense.
    func redo(_ stale: ControlSet, in number: Int64, at now: UnixTime) throws {
        let space = stale.upload.header.space
        let chain = try controls.plannedChain(ofSpace: number)
        for action in stale.body.actions {
            var plan = ControlPlan()
            var random = random
            switch action {
            case .invite(let invitation) where chain.invitations[invitation.keys.invitation] == nil:
                plan.invite(
                    invitation.keys,
                    until: UnixTime(milliseconds: Int64(min(invitation.expires, 1 << 40)) * 1000),
                    with: try newestSecret(of: space),
                    using: &random
                )
            case .addCard(let added) where chain.cards[added.card.device] == nil:
                plan.add(
                    added.card,
                    to: chain,
                    vouchedBy: try identity.current().keys,
                    with: try newestSecret(of: space),
                    using: &random
                )
            case .revoke(let revocation):
                let live = revocation.devices.filter { chain.cards[$0]?.isLive == true }
                guard !live.isEmpty else { continue }
                plan = try self.revocation(of: live, in: number, space)
            case .close(let ids):
                let open = ids.filter { chain.openInvitations[$0] != nil }
                guard !open.isEmpty else { continue }
                plan = ControlPlan([.close(open)])
            case .server: plan = ControlPlan([action])
            case .found, .epoch, .invite, .join, .addCard, .wrap: continue
            }
            try seal(plan, in: number, at: now)
        }
    }

    /// Seals a plan as this device's next control set.
    ///
    /// Throws ``ControlError`` for a plan that the rules forbid.
    @discardableResult
    private func seal(
        _ plan: ControlPlan,
        in space: Int64,
        at now: UnixTime
    ) throws -> (set: ControlSet, number: Int64) {
        let chain = try controls.plannedChain(ofSpace: space)
        let keys = try identity.current().keys
        try sealer.advanceGuard(at: now)
        let seal = try sealer.nextSeal(of: space, chain.space, keys.publicKeys.device)
        let sealed = plan.seal(after: chain, as: seal, by: keys, at: now)
        let set = try ControlSet(try Upload(parsing: sealed.upload), body: sealed.body)
        var next = chain
        try next.apply(set)
        let number = try sealer.insertOwn(sealed, seal, space, control: set.place.index)
        for chunk in plan.chunks {
            let name = ChunkName(hash: Digest(of: chunk), byteCount: chunk.count)
            try chunks.insert(chunk, name.reference, for: RowAddress(space: space, id: .zero))
        }
        return (set, number)
    }

    private func newestSecret(of space: Identifier) throws -> EpochSecret {
        let keys = try spaces.keys(of: space)
        guard let epoch = keys.epoch, let secret = keys.secrets[epoch] else {
            throw SealError.noSpaceKey(space)
        }
        return EpochSecret(space: space, epoch: epoch, secret: secret)
    }

    private var random: IdentifierGenerator { IdentifierGenerator(next: newIdentifier) }
}

/// Random numbers from the source of identifiers, which tests seed.
struct IdentifierGenerator: RandomNumberGenerator {
    private let newIdentifier: @Sendable () -> Identifier

    init(next newIdentifier: @escaping @Sendable () -> Identifier) {
        self.newIdentifier = newIdentifier
    }

    func next() -> UInt64 { UInt64(truncatingIfNeeded: newIdentifier().number) }
}
