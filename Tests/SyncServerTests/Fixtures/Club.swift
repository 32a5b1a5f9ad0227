@testable import SyncCore

@testable import SyncServer

/// A shared space that an author founds, whose owner lets others in; its store is a real one.
struct Club {
    let store: any Store
    let now: UnixTime
    private(set) var chain: ControlChain
    private(set) var owner: Author
    private var secret: EpochSecret
    private var random: SplitMix64
    /// The last control set of each device, which has a replica for these.
    private var heads: [Identifier: ReplicaHead] = [:]

    /// Founds the space by a device whose own space the store hosts.
    init(
        foundedBy author: Author,
        in store: any Store,
        at now: UnixTime,
        seed: UInt64 = 5
    ) async throws {
        (self.store, self.now) = (store, now)
        random = SplitMix64(seed: seed)
        owner = author
        var plan = ControlPlan()
        secret = plan.found(.shared, by: author.keys, using: &random)
        chain = ControlChain(of: secret.space)
        try await enter(plan, by: author.keys)
        place(&owner)
    }

    var space: Identifier { chain.space }

    /// Lets a device's sets be for this space, and name the present control sets.
    func place(_ author: inout Author) {
        author.place = Author.Place(
            space: space,
            keys: SpaceKeys(space: space, secrets: [1: secret.secret]),
            controls: chain.count
        )
    }

    /// Has a device's user enter with a role, by a link of the owner.
    mutating func admit(_ author: inout Author, as role: Role) async throws {
        let link = KeyPairs.random(using: &random)
        var plan = ControlPlan()
        plan.invite(
            link.publicKeys,
            as: .member(role),
            until: UnixTime(milliseconds: now.milliseconds + 3_600_000),
            with: secret,
            using: &random
        )
        try await perform(plan)
        try await join(&author, by: link)
    }

    private mutating func join(_ author: inout Author, by link: KeyPairs) async throws {
        var plan = ControlPlan()
        plan.join(
            chain,
            as: Card(author.keys, of: author.user, as: .device),
            by: link,
            proof: UserProof(first: nil),
            with: secret,
            using: &random
        )
        try await enter(plan, by: author.keys)
        place(&author)
    }

    /// Gives a member another role; none ends the membership.
    ///
    /// - Parameter last: the member's last set that counts.
    mutating func set(
        _ role: Role?,
        of author: Author,
        after last: PushedSet? = nil
    ) async throws {
        let entry = heads[author.device].map { (Self.replica(of: author.device), $0) }
        let sets = [entry, last.map { (author.replica, ReplicaHead($0)) }]
        let cuts = sets.compactMap(\.self).map { replica, head in
            SetReference(replica: replica, sequence: head.sequence, hash: head.hash)
        }
        let present = chain.members[author.user]?.role
        let isRise = role.map { $0 > present ?? .viewer } ?? false
        try await perform(
            ControlPlan([
                role.map {
                    .setRole(
                        ControlAction.RoleSetting(
                            user: author.user,
                            role: $0,
                            cuts: isRise ? [] : cuts,
                            isRetroactive: false
                        )
                    )
                }
                    ?? .remove(
                        ControlAction.Removal(
                            user: author.user,
                            cuts: cuts,
                            isRetroactive: false
                        )
                    )
            ])
        )
    }

    /// Shuts a device out, whose sets from now on do not count.
    mutating func revoke(_ author: Author) async throws {
        try await perform(ControlPlan([revocation(of: author)]))
    }

    /// The control set of the owner's that shuts a device out.
    func revocation(of author: Author) throws -> (item: [UInt8], upload: Upload) {
        let (item, upload) = try seal(ControlPlan([revocation(of: author)]), by: owner.keys)
        return (item.encoded, upload)
    }

    /// The owner's next control set, which no store has yet.
    func sealed(_ plan: ControlPlan) throws -> (item: PushItem, upload: Upload) {
        try seal(plan, by: owner.keys)
    }

    private func revocation(of author: Author) -> ControlAction {
        let cut = heads[author.device].map {
            SetReference(
                replica: Self.replica(of: author.device),
                sequence: $0.sequence,
                hash: $0.hash
            )
        }
        return .revoke(
            ControlAction.Revocation(
                devices: [author.device],
                cuts: cut.map { [$0] } ?? [],
                isRetroactive: false
            )
        )
    }

    /// Lets another device of the owner in.
    mutating func add(_ author: inout Author) async throws {
        var plan = ControlPlan()
        plan.add(
            Card(author.keys, of: owner.user, as: .device),
            to: chain,
            vouchedBy: owner.keys,
            with: secret,
            using: &random
        )
        try await perform(plan)
        place(&author)
    }

    /// Has the owner, or another member, seal a control set and push it.
    mutating func perform(_ plan: ControlPlan, by author: Author? = nil) async throws {
        let author = author ?? owner
        let (item, upload) = try seal(plan, by: author.keys)
        var budget = DecodingBudget()
        let set = try PushedSet.check(
            item.encoded,
            in: space,
            by: author.device,
            Author.serverKeys,
            &budget
        ).get()
        let results = try await store.append([set], to: space, by: author.row, at: now)
        try follow(results, upload, item)
    }

    /// Brings a control set as a device that is not in the space yet.
    private mutating func enter(_ plan: ControlPlan, by keys: KeyPairs) async throws {
        let (item, upload) = try seal(plan, by: keys)
        var budget = DecodingBudget()
        let set = try RefilledSet.check(
            RefillItem(item: item.encoded).encoded,
            in: space,
            by: Author.serverKeys,
            MACKey(Author.serverKeys.receiptSecret.bytes),
            covered: [],
            &budget
        ).get()
        let entering = Entering(
            space: space,
            sets: [set],
            device: keys.publicKeys.device,
            name: "device",
            token: nil
        )
        try follow(try await store.enter(entering, at: now), upload, item)
    }

    /// The replica of a device's control sets.
    private static func replica(of device: Identifier) -> Identifier {
        Identifier(number: UInt128(device.number >> 1))
    }

    private func seal(
        _ plan: ControlPlan,
        by keys: KeyPairs
    ) throws -> (item: PushItem, upload: Upload) {
        let device = keys.publicKeys.device
        let seal = Seal(
            space: space,
            device: device,
            replica: Self.replica(of: device),
            sequence: (heads[device]?.sequence ?? 0) + 1,
            previous: heads[device]?.hash ?? .zero,
            seen: .nothing
        )
        let sealed = plan.seal(after: chain, as: seal, by: keys, at: now)
        let item = PushItem(upload: sealed.upload, body: sealed.body, chunks: plan.chunks)
        return (item, try Upload(parsing: sealed.upload))
    }

    /// Takes a set into the chain that the store accepted; throws what the store said otherwise.
    private mutating func follow(
        _ results: [PushResult],
        _ upload: Upload,
        _ item: PushItem
    ) throws {
        guard case .judged(_, let verdict, _) = results[0] else {
            throw Declined(result: results[0])
        }
        heads[upload.header.device] = ReplicaHead(upload)
        guard verdict == .accepted else { throw Declined(result: results[0]) }
        try chain.apply(ControlSet(upload, body: item.body ?? []))
    }

    /// The store did not accept a control set.
    struct Declined: Error {
        let result: PushResult
    }
}

extension ReplicaHead {
    fileprivate init(_ set: PushedSet) { self.init(set.upload) }

    fileprivate init(_ upload: Upload) {
        self.init(sequence: upload.header.sequence, hash: upload.hash)
    }
}
