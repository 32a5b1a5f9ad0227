extension ControlChain {
    /// Whether a card of this own space may come into shared ones.
    ///
    /// A recovery code may not if a revoked device stands in its line of vouchers: it may be a thief's,
    /// and no device can revoke it.
    fileprivate func mayCarry(_ card: Card) -> Bool {
        var voucher = card.kind == .recovery ? cards[card.device]?.voucher : nil
        while let id = voucher, let known = cards[id] {
            guard !known.isRevoked else { return false }
            voucher = known.voucher
        }
        return true
    }
}

extension ControlSealer {
    /// Lets the user's other devices and recovery codes into the shared spaces of this device, and
    /// revokes there those that the own space has revoked; returns whether it sealed anything.
    func carryOwnCards(at now: Moment) throws -> Bool {
        let me = try identity.current()
        let own = try controls.plannedChain(of: try spaces.own())
        var hasSealed = false
        for space in try spaces.all() where space.kind == .shared {
            for carry in [revoke(revokedIn:in:_:at:), admit(from:into:_:at:)] {
                do {
                    if try carry(own, space.id, me, now) { hasSealed = true }
                } catch is ControlError {
                    // The space has no room for more cards.
                    continue
                }
            }
        }
        return hasSealed
    }

    private func revoke(
        revokedIn own: ControlChain,
        in space: Identifier,
        _ me: DeviceIdentity,
        at now: Moment
    ) throws -> Bool {
        let chain = try controls.plannedChain(of: space)
        let gone = chain.liveCards.values.filter {
            $0.user == me.user && $0.kind == .device && own.cards[$0.device]?.isRevoked == true
        }
        guard !gone.isEmpty, try mayActFor(me, in: chain) else { return false }
        let number = try spaces.number(ofSpace: space)
        let plan = try revocation(of: gone.map(\.device).sorted(), in: number, space)
        try seal(plan, in: number, at: me.time(at: now))
        return true
    }

    private func admit(
        from own: ControlChain,
        into space: Identifier,
        _ me: DeviceIdentity,
        at now: Moment
    ) throws -> Bool {
        let chain = try controls.plannedChain(of: space)
        let live = Set(chain.liveCards(of: me.user))
        let missing = own.liveCards.values.filter {
            $0.user == me.user && !live.contains($0.device)
                && chain.cards[$0.device]?.isRevoked != true && own.mayCarry($0)
        }
        guard !missing.isEmpty, try mayActFor(me, in: chain) else { return false }
        var (plan, random) = (ControlPlan(), random)
        let secret = try newestSecret(of: space)
        for card in missing.sorted(by: { $0.device < $1.device }) {
            plan.add(card, to: chain, vouchedBy: me.keys, with: secret, using: &random)
        }
        try seal(plan, in: try spaces.number(ofSpace: space), at: me.time(at: now))
        return true
    }

    /// Whether this device is in a space and can decrypt its newest secret.
    private func mayActFor(_ me: DeviceIdentity, in chain: ControlChain) throws -> Bool {
        try chain.role(ofDevice: me.device) != nil && controls.newestSecret(of: chain) != nil
    }
}
