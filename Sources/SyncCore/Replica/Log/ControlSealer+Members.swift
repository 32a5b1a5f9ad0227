/// The members of a shared space.
extension ControlSealer {
    /// Gives a member another role.
    ///
    /// If the role is a smaller one, the member's sets that this device does not know yet do not count.
    ///
    /// Throws ``ControlError`` if the rules forbid it.
    package func setRole(
        of user: Identifier,
        to role: Role,
        in space: Identifier,
        at now: Moment
    ) throws {
        let plan = try setting(of: user, to: role, in: space)
        try sealMembers(plan, in: space, at: now)
    }

    /// Removes a member with all devices, and begins a key epoch for those who remain.
    ///
    /// Throws ``ControlError`` if the rules forbid it.
    package func remove(_ user: Identifier, from space: Identifier, at now: Moment) throws {
        try sealMembers(try removal(of: user, from: space), in: space, at: now)
    }

    /// Takes this person out of a space; an admin's device begins the key epoch after it.
    ///
    /// Throws ``ControlError`` for the only owner.
    package func leave(_ space: Identifier, at now: Moment) throws {
        try sealMembers(try leaving(space), in: space, at: now)
    }

    private func sealMembers(
        _ plan: ControlPlan,
        in space: Identifier,
        at now: Moment
    ) throws {
        let time = try identity.current().time(at: now)
        try seal(plan, in: try spaces.number(ofSpace: space), at: time)
    }

    /// Plans an action on members or held sets of a lost set again; nil if it is not to be repeated.
    ///
    /// That is so if the chain says the same already, or if a later control set decided on the same
    /// member. Only the author of a rise repeats it.
    func membersPlan(
        for action: ControlAction,
        of lost: ControlSet,
        after chain: ControlChain
    ) throws -> ControlPlan? {
        let me = try identity.current()
        let isOwn = lost.author == me.device
        switch action {
        case .setRole(let setting):
            let present = chain.roles[setting.user]
            guard let present, present != setting.role, isOwn || setting.role < present,
                !chain.isDecided(setting.user, since: lost)
            else { return nil }
            return try self.setting(of: setting.user, to: setting.role, in: chain.space)
        case .remove(let removal):
            guard chain.roles[removal.user] != nil, !chain.isDecided(removal.user, since: lost)
            else { return nil }
            return try self.removal(of: removal.user, from: chain.space)
        case .leave:
            guard isOwn, chain.role(ofDevice: lost.author) != nil else { return nil }
            return try leaving(chain.space)
        case .adopt(let sets): return chain.plan(ControlAction.adopt, on: sets)
        case .decline(let sets): return chain.plan(ControlAction.decline, on: sets)
        default: return nil
        }
    }

    private func setting(
        of user: Identifier,
        to role: Role,
        in space: Identifier
    ) throws -> ControlPlan {
        let chain = try controls.plannedChain(of: space)
        let isLoss = chain.roles[user].map { role < $0 } ?? false
        let cuts = isLoss ? try cuts(of: user, chain) : []
        var plan = ControlPlan([
            .setRole(
                ControlAction.RoleSetting(user: user, role: role, cuts: cuts, isRetroactive: false)
            )
        ])
        // A member who gives up these rights may not begin the epoch after it; an admin's device does.
        let mayBegin = try user != identity.current().user || role >= .admin
        let closed =
            isLoss && mayBegin ? chain.invitations(closedWith: chain.devices(of: user)) : []
        if !closed.isEmpty { try begin(&plan, chain, without: closed, in: space) }
        return plan
    }

    private func removal(of user: Identifier, from space: Identifier) throws -> ControlPlan {
        let chain = try controls.plannedChain(of: space)
        var plan = ControlPlan([
            .remove(
                ControlAction.Removal(
                    user: user,
                    cuts: try cuts(of: user, chain),
                    isRetroactive: false
                )
            )
        ])
        let cards = chain.liveCards(of: user)
        let gone = cards + chain.invitations(closedWith: cards)
        try begin(&plan, chain, without: gone, in: space)
        return plan
    }

    private func leaving(_ space: Identifier) throws -> ControlPlan {
        let chain = try controls.plannedChain(of: space)
        return ControlPlan([.leave(try cuts(of: try identity.current().user, chain))])
    }

    /// The last known set of each replica of a user.
    private func cuts(of user: Identifier, _ chain: ControlChain) throws -> [SetReference] {
        let devices = Set(chain.devices(of: user))
        return try lastSets(in: try spaces.number(ofSpace: chain.space))
            .filter { devices.contains($0.device) }.map(\.cut)
    }
}

extension ControlChain {
    /// Whether a control set at the place of a lost one, or after it, changed the role of a user.
    fileprivate func isDecided(_ user: Identifier, since lost: ControlSet) -> Bool {
        members[user]?.changes.contains { $0.index >= lost.place.index } ?? false
    }
}
