extension ControlSealer {
    /// Founds a shared space, which a server hosts at the next sync; returns its id.
    ///
    /// Throws ``ReplicaError/notVouched`` for a device of which nothing proves yet whose it is.
    package func foundSharedSpace(named name: String, at now: Moment) throws -> Identifier {
        let identity = try identity.current()
        var (plan, random) = (ControlPlan(), random)
        let secret = plan.found(
            .shared,
            by: identity.keys,
            proof: try vouches.proof(),
            using: &random
        )
        try database.addSpace(secret.space, kind: .shared)
        try found(plan, secret, at: identity.time(at: now))
        try nameSpace(secret.space, name, at: now)
        try devices.publish(in: secret.space, at: now)
        return secret.space
    }

    /// Gives a shared space another name.
    package func nameSpace(_ space: Identifier, _ name: String, at now: Moment) throws {
        try rows.apply(
            [Edit(SpaceField.key, .text(Text(name)))],
            in: try spaces.number(ofSpace: space),
            at: now
        )
    }

    /// Seals the set by which this device enters a shared space through a link.
    ///
    /// Nothing is stored: the server may refuse it, and a device that has entered finds its card there.
    package func entry(
        into chain: ControlChain,
        by link: KeyPairs,
        _ secret: EpochSecret,
        at now: Moment
    ) throws -> Seal.Sealed {
        let identity = try identity.current()
        var (plan, random) = (ControlPlan(), random)
        plan.join(
            chain,
            as: Card(identity.keys, of: identity.user, as: .device),
            by: link,
            proof: try vouches.proof(),
            with: secret,
            using: &random
        )
        var seal = Seal(
            space: chain.space,
            device: identity.device,
            replica: identity.replica,
            sequence: 1,
            previous: .zero,
            seen: .nothing
        )
        if let number = try? spaces.number(ofSpace: chain.space) {
            seal = try sealer.nextSeal(of: number, chain.space, identity.device)
        }
        return plan.seal(after: chain, as: seal, by: identity.keys, at: identity.time(at: now))
    }
}
