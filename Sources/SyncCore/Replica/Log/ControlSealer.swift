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
    func found(_ plan: ControlPlan, _ secret: EpochSecret, at now: UnixTime) throws {
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

    /// Invites into a space by a link: a further device of the user into the own one, or up to `uses`
    /// people into a shared one.
    package func invite(
        by link: KeyPairs,
        into space: Identifier,
        as role: InvitedRole = .device,
        uses: UInt64 = 1,
        until expires: UnixTime,
        at now: Moment
    ) throws {
        var plan = ControlPlan()
        var random = random
        plan.invite(
            link.publicKeys,
            as: role,
            uses: uses,
            until: expires,
            with: try newestSecret(of: space),
            using: &random
        )
        try seal(plan, in: try spaces.number(ofSpace: space), at: identity.current().time(at: now))
    }

    /// Adds the card of a recovery code to the own space.
    package func add(_ code: RecoveryCode, at now: Moment) throws {
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
        try seal(plan, in: number, at: identity.time(at: now))
    }

    /// Revokes devices in the own space, cuts them at their last known sets, and begins a key
    /// epoch.
    package func revoke(_ devices: [Identifier], at now: Moment) throws {
        let own = try spaces.own()
        let number = try spaces.number(ofSpace: own)
        let plan = try revocation(of: devices, in: number, own)
        try seal(plan, in: number, at: identity.current().time(at: now))
    }

    /// Withdraws links, so that nobody can enter by them any more.
    ///
    /// Begins a key epoch, because anyone who has a link can decrypt the current secret.
    ///
    /// Throws ``ControlError`` for a link that was used or withdrawn.
    package func withdraw(_ links: [Identifier], at now: Moment) throws {
        let own = try spaces.own()
        let number = try spaces.number(ofSpace: own)
        let chain = try controls.plannedChain(ofSpace: number)
        var plan = ControlPlan([.close(links)])
        try begin(&plan, chain, without: links, in: own)
        try seal(plan, in: number, at: identity.current().time(at: now))
    }

    func revocation(
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
        // A device that revokes itself may not begin the epoch after it, nor may who is no admin;
        // another device does.
        let me = try identity.current().device
        guard !devices.contains(me), chain.role(ofDevice: me) ?? .viewer >= .admin else {
            return plan
        }
        let gone = devices + chain.invitations(closedWith: devices)
        try begin(&plan, chain, without: gone, in: space)
        return plan
    }

    /// Adds the key epoch after a removal: its secret is for everyone who is left.
    ///
    /// - Parameter gone: the cards and links that the plan ends.
    func begin(
        _ plan: inout ControlPlan,
        _ chain: ControlChain,
        without gone: [Identifier] = [],
        in space: Identifier
    ) throws {
        var random = random
        let remaining = chain.recipients.filter { !gone.contains($0.key) }
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
        guard chain.needsEpoch, chain.role(ofDevice: device) ?? .viewer >= .admin,
            // Only a device that knows the present secret can begin the next epoch.
            try controls.newestSecret(of: chain) != nil
        else { return }
        var plan = ControlPlan()
        try begin(&plan, chain, in: chain.space)
        try seal(plan, in: number, at: now)
    }

    /// Accepts a log of the server as the successor of logs that this device has merged.
    func accept(
        _ epoch: Identifier,
        after past: [LogEnding],
        in number: Int64,
        at now: UnixTime
    ) throws {
        let chain = try controls.plannedChain(ofSpace: number)
        let device = try identity.current().device
        let new = LogLine(to: epoch, past: [], chain).unknown(in: past)
        guard !new.isEmpty, chain.role(ofDevice: device) == .owner else { return }
        try seal(ControlPlan([.server(epoch: epoch, past: new)]), in: number, at: now)
    }

    /// Returns where each replica in the log ends, with the device that sealed its last set.
    ///
    /// Sets with a receipt that the server lost belong to it. A copied database may have sealed
    /// another last set; the cut then includes both.
    func lastSets(in space: Int64) throws -> [(device: Identifier, cut: SetReference)] {
        let ends = try database.all(
            """
            SELECT upload, max(sequence), replica FROM sealed
            WHERE space = \(space) AND (position IS NOT NULL
                OR (receipt IS NOT NULL AND verdict = 0 AND reissued = 0))
            GROUP BY replica
            """
        ) { (upload: try Upload(parsing: $0.blob(0)), replica: $0.integer(2)) }
        return try ends.map { upload, replica in
            let (id, sequence) = (upload.header.replica, upload.header.sequence)
            let isForked = try database.first(
                """
                SELECT 1 FROM sealed WHERE space = \(space) AND replica = \(replica)
                    AND sequence = \(sequence) AND hash != \(upload.hash)
                """
            ) { _ in true }
            let cut =
                isForked == true
                ? SetReference(replica: id, sequence: sequence + 1, hash: .zero)
                : SetReference(replica: id, sequence: sequence, hash: upload.hash)
            return (upload.header.device, cut)
        }
    }

    /// Takes back a set that the log will never accept; its actions wait to be sealed again.
    func takeBack(_ number: Int64) throws {
        try database.run(
            """
            UPDATE sealed SET control = \(ControlMark.lost), reissued = 1
            WHERE number = \(number)
            """
        )
    }

    /// Seals the actions of lost sets again, as soon as the secret of the newest epoch is known.
    func redoLost(in number: Int64, at now: UnixTime) throws {
        guard try controls.hasLost(in: number),
            try controls.newestSecret(of: controls.plannedChain(ofSpace: number)) != nil
        else { return }
        let lost = try database.all(
            """
            SELECT upload, body FROM sealed
            WHERE space = \(number) AND control = \(ControlMark.lost) AND body IS NOT NULL
            ORDER BY number
            """
        ) { try ControlSet(try Upload(parsing: $0.blob(0)), body: $0.blob(1)) }
        try database.run(
            """
            UPDATE sealed SET control = \(ControlMark.isSignature)
            WHERE space = \(number) AND control = \(ControlMark.lost)
            """
        )
        let used = Set(lost.flatMap(\.body.actions).compactMap(\.usedInvitation))
        for set in lost { try redo(set, without: used, in: number, at: now) }
    }

    /// Seals the actions of a set again, as far as they still make sense and are allowed.
    ///
    /// - Parameter used: the invitations by which devices entered in lost sets. They are not published
    ///   again, because a vouch brings these devices back.
    private func redo(
        _ lost: ControlSet,
        without used: Set<Identifier>,
        in number: Int64,
        at now: UnixTime
    ) throws {
        for action in lost.body.actions where !action.invites(used) {
            let chain = try controls.plannedChain(ofSpace: number)
            // A link of another device may be one of a device that was revoked since.
            if case .invite = action, try lost.author != identity.current().device { continue }
            guard let plan = try plan(for: action, of: lost, after: chain, in: number) else {
                continue
            }
            do {
                try seal(plan, in: number, at: now)
            } catch is ControlError {
                // This device may not do it any more.
                continue
            }
        }
    }

    /// Plans an action of a lost set again; nil if the chain has it, or others do it.
    ///
    /// The set may be of another device, which then cannot come back by itself: this one vouches for
    /// its card.
    private func plan(
        for action: ControlAction,
        of lost: ControlSet,
        after chain: ControlChain,
        in number: Int64
    ) throws -> ControlPlan? {
        var plan = ControlPlan()
        var random = random
        switch action {
        case .invite(let invitation):
            guard chain.invitations[invitation.keys.invitation] == nil else { return nil }
            plan.invite(
                invitation.keys,
                as: invitation.role,
                uses: invitation.uses,
                until: invitation.end,
                with: try newestSecret(of: chain.space),
                using: &random
            )
        case .join(let joining):
            // The user has withdrawn the link since.
            guard chain.invitations[joining.invitation]?.isClosed != true else { return nil }
            return try self.plan(for: joining.card, after: chain)
        case .addCard(let added): return try self.plan(for: added.card, after: chain)
        case .revoke(let revocation):
            let live = revocation.devices.filter { chain.cards[$0]?.isLive == true }
            return live.isEmpty ? nil : try self.revocation(of: live, in: number, chain.space)
        case .close(let ids):
            let open = ids.filter { chain.openInvitations[$0] != nil }
            return open.isEmpty ? nil : ControlPlan([.close(open)])
        case .server(let epoch, let past):
            let new = LogLine(to: epoch, past: [], chain).unknown(in: past)
            return new.isEmpty ? nil : ControlPlan([.server(epoch: epoch, past: new)])
        case .setRole, .remove, .leave, .adopt, .decline:
            return try membersPlan(for: action, of: lost, after: chain)
        case .found, .epoch, .wrap: return nil
        }
        return plan
    }

    private func plan(for card: Card, after chain: ControlChain) throws -> ControlPlan? {
        guard chain.cards[card.device] == nil else { return nil }
        var (plan, random) = (ControlPlan(), random)
        plan.add(
            card,
            to: chain,
            vouchedBy: try identity.current().keys,
            with: try newestSecret(of: chain.space),
            using: &random
        )
        return plan
    }

    /// Seals a plan as this device's next control set.
    ///
    /// Throws ``ControlError`` for a plan that the rules forbid.
    @discardableResult
    func seal(
        _ plan: ControlPlan,
        in space: Int64,
        at now: UnixTime
    ) throws -> (set: ControlSet, number: Int64) {
        try identity.checkKeys()
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

    /// Throws ``SealError/noSpaceKey(_:)`` if the secret of the newest key epoch is not here yet.
    func newestSecret(of space: Identifier) throws -> EpochSecret {
        let chain = try controls.plannedChain(of: space)
        guard let secret = try controls.newestSecret(of: chain) else {
            throw SealError.noSpaceKey(space)
        }
        return secret
    }

    var random: IdentifierGenerator { IdentifierGenerator(next: newIdentifier) }
}

/// Random numbers from the source of identifiers, which tests seed.
struct IdentifierGenerator: RandomNumberGenerator {
    private let newIdentifier: @Sendable () -> Identifier

    init(next newIdentifier: @escaping @Sendable () -> Identifier) {
        self.newIdentifier = newIdentifier
    }

    func next() -> UInt64 { UInt64(truncatingIfNeeded: newIdentifier().number) }
}

extension ControlAction {
    fileprivate var usedInvitation: Identifier? {
        guard case .join(let joining) = self else { return nil }
        return joining.invitation
    }

    /// Whether the action publishes one of these invitations.
    fileprivate func invites(_ ids: Set<Identifier>) -> Bool {
        guard case .invite(let invitation) = self else { return false }
        return ids.contains(invitation.keys.invitation)
    }
}
