@testable import SyncCore

/// People with devices, and the control chain of a space that they share.
struct Crew {
    private(set) var chain: ControlChain
    private(set) var people: [String: Person] = [:]
    private var secret: EpochSecret
    private var random: SplitMix64

    /// A user's devices, the first of which founds the user, with the line of vouches to each.
    struct Person {
        var devices: [KeyPairs]
        var proofs: [UserProof]

        var user: Identifier { devices[0].publicKeys.user }
        var ids: [Identifier] { devices.map(\.publicKeys.device) }

        func card(_ device: Int = 0) -> Card { Card(devices[device], of: user, as: .device) }
    }

    /// Founds a space by a person's first or later device.
    init(seed: UInt64 = 1, foundedBy name: String = "owner", device: Int = 0) throws {
        random = SplitMix64(seed: seed)
        var founder = Self.person(using: &random)
        for _ in 0..<device { Self.addDevice(to: &founder, using: &random) }
        var plan = ControlPlan()
        secret = plan.found(
            .shared,
            by: founder.devices[device],
            proof: founder.proofs[device],
            using: &random
        )
        chain = ControlChain(of: secret.space)
        people[name] = founder
        try perform(plan, by: founder.devices[device])
    }

    private static func person(using random: inout SplitMix64) -> Person {
        Person(devices: [.random(using: &random)], proofs: [UserProof(first: nil)])
    }

    /// Gives a person one device more, for which the one before vouches.
    private static func addDevice(to person: inout Person, using random: inout SplitMix64) {
        let (keys, last) = (KeyPairs.random(using: &random), person.devices.count - 1)
        let card = Card(keys, of: person.user, as: .device)
        let vouch = Vouch(
            keys: keys.publicKeys,
            kind: .device,
            signature: person.devices[last].vouch(for: card)
        )
        let first = person.devices[0].publicKeys.signing
        person.proofs.append(
            UserProof(first: first, vouches: person.proofs[last].vouches + [vouch])
        )
        person.devices.append(keys)
    }

    /// Returns a person, who is made up when first named.
    mutating func person(_ name: String) -> Person {
        if let known = people[name] { return known }
        people[name] = Self.person(using: &random)
        return person(name)
    }

    /// Returns a person who has at least so many devices.
    mutating func person(_ name: String, withDevices count: Int) -> Person {
        var known = person(name)
        while known.devices.count < count { Self.addDevice(to: &known, using: &random) }
        people[name] = known
        return known
    }

    mutating func perform(
        _ actions: [ControlAction],
        by author: KeyPairs,
        _ circumstances: ControlChain.Circumstances = .reader
    ) throws {
        try perform(ControlPlan(actions), by: author, circumstances)
    }

    mutating func perform(
        _ plan: ControlPlan,
        by author: KeyPairs,
        _ circumstances: ControlChain.Circumstances = .reader
    ) throws {
        let seal = Seal(
            space: chain.space,
            device: author.publicKeys.device,
            replica: Identifier(number: UInt128(author.publicKeys.device.number >> 1)),
            sequence: chain.count + 1,
            previous: chain.head,
            seen: .nothing
        )
        let time = UnixTime(milliseconds: Time.start)
        let sealed = plan.seal(after: chain, as: seal, by: author, at: time)
        let set = try ControlSet(Upload(parsing: sealed.upload), body: sealed.body)
        try chain.apply(set, in: circumstances)
    }

    /// Publishes a link, and returns its keys.
    mutating func invite(
        as role: InvitedRole,
        uses: UInt64 = 1,
        by author: KeyPairs
    ) throws -> KeyPairs {
        let link = KeyPairs.random(using: &random)
        var plan = ControlPlan()
        let expires = UnixTime(milliseconds: Time.start + 1_000_000)
        plan.invite(
            link.publicKeys,
            as: role,
            uses: uses,
            until: expires,
            with: secret,
            using: &random
        )
        try perform(plan, by: author)
        return link
    }

    /// Has a device enter by a link.
    mutating func enter(
        _ name: String,
        device: Int = 0,
        by link: KeyPairs,
        proof: UserProof? = nil
    ) throws {
        let person = person(name, withDevices: device + 1)
        var plan = ControlPlan()
        plan.join(
            chain,
            as: person.card(device),
            by: link,
            proof: proof ?? person.proofs[device],
            with: secret,
            using: &random
        )
        try perform(plan, by: person.devices[device])
    }

    /// Has a person enter with a role, by a link of the founder.
    mutating func admit(_ name: String, as role: Role, devices: Int = 1) throws {
        let owner = person("owner").devices[0]
        let link = try invite(as: .member(min(role, .admin)), by: owner)
        try enter(name, by: link)
        for device in 1..<max(devices, 1) { try add(name, device: device) }
        if role == .owner { try perform([setting(name, to: .owner)], by: owner) }
    }

    /// Adds a further device of a member, which the one before vouches for, or another member; the
    /// voucher is the author, unless there is another one.
    mutating func add(
        _ name: String,
        device: Int,
        vouchedBy other: KeyPairs? = nil,
        by author: KeyPairs? = nil
    ) throws {
        let person = person(name, withDevices: device + 1)
        var plan = ControlPlan()
        let voucher = other ?? person.devices[device - 1]
        plan.add(
            person.card(device),
            to: chain,
            vouchedBy: voucher,
            with: secret,
            using: &random
        )
        try perform(plan, by: author ?? voucher)
    }

    /// The action by which a device gives a secret to another one.
    mutating func wrap(for recipient: Identifier) -> ControlAction {
        let keys = AgreementKey(secret: .random(using: &random))
        let wrap = secret.wrap(to: recipient, keys.publicKey, with: keys)
        return .wrap(epoch: secret.epoch, [wrap].compactMap(\.self))
    }

    func setting(_ name: String, to role: Role, cuts: [SetReference] = []) -> ControlAction {
        .setRole(
            ControlAction.RoleSetting(
                user: user(name),
                role: role,
                cuts: cuts,
                isRetroactive: false
            )
        )
    }

    func removal(_ name: String, cuts: [SetReference] = [], isRetroactive: Bool = false)
        -> ControlAction
    {
        .remove(
            ControlAction.Removal(user: user(name), cuts: cuts, isRetroactive: isRetroactive)
        )
    }

    func revocation(_ name: String, device: Int = 0, cuts: [SetReference] = []) -> ControlAction {
        let id = people[name].map { $0.ids[device] } ?? .zero
        return .revoke(
            ControlAction.Revocation(devices: [id], cuts: cuts, isRetroactive: false)
        )
    }

    /// The plan of the next key epoch, for all who may read.
    mutating func epoch() -> ControlPlan {
        var plan = ControlPlan()
        plan.beginEpoch(after: secret, for: chain.recipients, using: &random)
        return plan
    }

    func user(_ name: String) -> Identifier { people[name]?.user ?? .zero }
}
