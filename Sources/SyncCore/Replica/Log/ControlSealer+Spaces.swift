extension ControlSealer {
    /// Founds a shared space, which a server hosts at the next sync; returns its id.
    ///
    /// - Parameter proof: that this device is of its user.
    func foundSharedSpace(proof: UserProof, at now: Moment) throws -> Identifier {
        let identity = try identity.current()
        var (plan, random) = (ControlPlan(), random)
        let secret = plan.found(.shared, by: identity.keys, proof: proof, using: &random)
        try database.addSpace(secret.space, kind: .shared)
        try found(plan, secret, at: identity.time(at: now))
        return secret.space
    }

    /// Seals the set by which this device enters a shared space through a link, or by a card of its user
    /// that vouches for it.
    ///
    /// Nothing is stored: the server may refuse it, and a device that has entered finds its card there.
    ///
    /// - Parameter proof: that this device is of its user; nil for a card, which proves it.
    package func entry(
        into chain: ControlChain,
        by door: KeyPairs,
        proof: UserProof?,
        _ secret: EpochSecret,
        at now: Moment
    ) throws -> Seal.Sealed {
        let identity = try identity.current()
        var (plan, random) = (ControlPlan(), random)
        let card = Card(identity.keys, of: identity.user, as: .device)
        if let proof {
            plan.join(chain, as: card, by: door, proof: proof, with: secret, using: &random)
        } else {
            plan.add(card, to: chain, vouchedBy: door, with: secret, using: &random)
        }
        var seal = Seal(
            space: chain.space,
            device: identity.device,
            replica: identity.replica,
            sequence: 1,
            previous: .zero,
            seen: .nothing
        )
        if try spaces.all().contains(where: { $0.id == chain.space }) {
            let number = try spaces.number(ofSpace: chain.space)
            seal = try sealer.nextSeal(of: number, chain.space, identity.device)
        }
        return plan.seal(after: chain, as: seal, by: identity.keys, at: identity.time(at: now))
    }
}
