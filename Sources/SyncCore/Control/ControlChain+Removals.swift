/// Actions that take rights away, and the cuts after which sets do not count.
extension ControlChain {
    mutating func revoke(
        _ revocation: ControlAction.Revocation,
        by set: ControlSet,
        _ circumstances: Circumstances
    ) throws(ControlError) {
        try requireCard(set.author)
        guard Set(revocation.devices).count == revocation.devices.count else {
            throw .forbidden(.revocation)
        }
        for device in revocation.devices {
            guard let known = cards[device], known.isLive, mayRevoke(known, set.author) else {
                throw .forbidden(.revocation)
            }
        }
        let cuts = try Cuts(
            revocation.cuts,
            of: revocation.devices,
            isRetroactive: revocation.isRetroactive,
            circumstances
        )
        end(revocation.devices, at: cuts, isRevocation: true, by: set)
        guard hasOwner else { throw .forbidden(.revocation) }
        needsEpoch = true
    }

    /// Whether an author may revoke a card.
    ///
    /// A device may revoke the devices of its user and, in a shared space, those of the members that
    /// its user governs. A recovery code is revoked by itself or, in a shared space, by an owner.
    private func mayRevoke(_ target: KnownCard, _ author: Identifier) -> Bool {
        if target.card.device == author { return true }
        guard let by = cards[author]?.card, let role = role(ofDevice: author) else { return false }
        guard target.card.kind == .device else { return kind == .shared && role == .owner }
        if by.user == target.card.user { return true }
        return members[target.card.user]?.role.map(role.mayGovern) ?? false
    }

    mutating func setRole(
        _ setting: ControlAction.RoleSetting,
        by set: ControlSet,
        _ circumstances: Circumstances
    ) throws(ControlError) {
        let author = try requireRole(.admin, of: set.author)
        guard kind == .shared, let present = members[setting.user]?.role, present != setting.role,
            author.mayGovern(present), author.mayGovern(setting.role)
        else { throw .forbidden(.role) }
        var cuts: Cuts?
        if setting.role < present {
            cuts = try Cuts(
                setting.cuts,
                of: devices(of: setting.user),
                isRetroactive: setting.isRetroactive,
                circumstances
            )
            closeInvitations(of: devices(of: setting.user))
        } else if !setting.cuts.isEmpty {
            throw .forbidden(.cut)
        }
        change(setting.user, to: setting.role, cuts, by: set)
        guard hasOwner else { throw .forbidden(.role) }
    }

    mutating func remove(
        _ removal: ControlAction.Removal,
        by set: ControlSet,
        _ circumstances: Circumstances
    ) throws(ControlError) {
        let author = try requireRole(.admin, of: set.author)
        guard let present = members[removal.user]?.role, author.mayGovern(present) else {
            throw .forbidden(.role)
        }
        let cuts = try Cuts(
            removal.cuts,
            of: devices(of: removal.user),
            isRetroactive: removal.isRetroactive,
            circumstances
        )
        try endMembership(of: removal.user, at: cuts, by: set)
    }

    mutating func leave(
        _ cuts: [SetReference],
        by set: ControlSet,
        _ circumstances: Circumstances
    ) throws(ControlError) {
        try requireRole(of: set.author)
        guard let user = cards[set.author]?.card.user else { throw .forbidden(.author) }
        let cuts = try Cuts(cuts, of: devices(of: user), isRetroactive: false, circumstances)
        try endMembership(of: user, at: cuts, by: set)
    }

    private mutating func endMembership(
        of user: Identifier,
        at cuts: Cuts,
        by set: ControlSet
    ) throws(ControlError) {
        end(liveCards(of: user), at: cuts, isRevocation: false, by: set)
        change(user, to: nil, cuts, by: set)
        guard hasOwner else { throw .forbidden(.role) }
        needsEpoch = true
    }

    private mutating func change(
        _ user: Identifier,
        to role: Role?,
        _ cuts: Cuts?,
        by set: ControlSet
    ) {
        let change = KnownMember.Change(index: set.place.index, role: role, cuts: cuts?.byReplica)
        members[user]?.changes.append(change)
    }

    private mutating func end(
        _ ids: [Identifier],
        at cuts: Cuts,
        isRevocation: Bool,
        by set: ControlSet
    ) {
        for id in ids {
            cards[id]?.term.end = KnownCard.End(
                index: set.place.index,
                time: set.body.time,
                author: set.author,
                cuts: cuts.byReplica,
                isRevocation: isRevocation
            )
        }
        closeInvitations(of: ids)
    }

    /// The open links that end when these devices lose a right: those that they made, and those for
    /// several people, which they may have.
    package func invitations(closedWith makers: [Identifier]) -> [Identifier] {
        invitations.filter { _, known in
            known.isOpen && (makers.contains(known.maker) || known.invitation.uses > 1)
        }
        .map(\.key).sorted()
    }

    private mutating func closeInvitations(of makers: [Identifier]) {
        for link in invitations(closedWith: makers) {
            invitations[link]?.isClosed = true
            needsEpoch = true
        }
    }

    /// Whether somebody is left who can do everything.
    private var hasOwner: Bool {
        cards.values.contains { $0.isLive && members[$0.card.user]?.role == .owner }
    }

    /// All devices that a user ever had in the space.
    package func devices(of user: Identifier) -> [Identifier] {
        cards.values.filter { $0.card.user == user && $0.card.kind == .device }
            .map(\.card.device)
    }

    /// The devices whose sets a control set cuts, if it counts.
    package func devicesCut(by set: ControlSet) -> [Identifier] {
        set.body.actions.flatMap { action -> [Identifier] in
            switch action {
            case .revoke(let revocation): revocation.devices
            case .setRole(let setting): devices(of: setting.user)
            case .remove(let removal): devices(of: removal.user)
            case .leave: cards[set.author].map { devices(of: $0.card.user) } ?? []
            case .found, .epoch, .invite, .close, .join, .addCard, .adopt, .decline, .server,
                .wrap:
                []
            }
        }
    }

    /// The last set that counts of each replica of some devices; others count from none.
    private struct Cuts {
        let byReplica: [Identifier: SetReference]

        /// Throws ``ControlError/forbidden(_:)`` for cuts below what the log has.
        init(
            _ cuts: [SetReference],
            of devices: [Identifier],
            isRetroactive: Bool,
            _ circumstances: Circumstances
        ) throws(ControlError) {
            byReplica = Dictionary(cuts.map { ($0.replica, $0) }) { first, _ in first }
            let heads = devices.flatMap { circumstances.heads?[$0] ?? [:] }
            for (replica, last) in heads where byReplica[replica]?.sequence ?? 0 < last {
                guard isRetroactive else { throw .forbidden(.cut) }
            }
        }
    }
}
