@testable import SyncCore

@testable import SyncServer

/// A store with something of every kind in it, made of values alone.
struct StoreScene: Sendable {
    /// 2026-04-24.
    let now = UnixTime(milliseconds: 1_777_000_000_000)
    /// Ann owns the space.
    let ann = Author(device: 1)
    /// Bob owns none.
    let bob = Author(user: 12, device: 12)
    /// Another device of Ann's.
    let second = Author(device: 4)
    /// A link of the operator's that nobody used.
    let invitation: Invitation
    /// Who enters with it.
    let newcomer = Author(user: 15, device: 15)
    /// Ann's sets in the log: one that was accepted with a chunk, and two that are held.
    let stored: [PushedSet]
    /// What Ann pushes next: an accepted set with a chunk, and a refused one.
    let next: [PushedSet]
    /// What Ann brings back: two sets of one name by a lost device, of which the first one names a
    /// chunk that is missing.
    let lost: [RefilledSet]
    /// Ann's decision to adopt the first held set and to decline the other one.
    let decision: PushedSet

    init() throws {
        var author = ann
        let (one, two, three) = (Author.chunk(1), Author.chunk(2), Author.chunk(3))
        stored = [
            try author.push(one.cell, chunks: [one.bytes]), try author.push().held(),
            try author.push().held(),
        ]
        let accepted = try author.push(two.cell, chunks: [two.bytes])
        author.time = UInt64(now.milliseconds + 600_000) << 16
        next = [accepted, try author.push()]
        var (gone, copy) = (Author(device: 3), Author(device: 3))
        lost = [
            try gone.push(three.cell).refilled(as: .accepted),
            try copy.push().refilled(as: .accepted),
        ]
        let held = stored[1...].map { SetReference(of: $0.upload) }
        decision = try ann.person.control([.adopt([held[0]]), .decline([held[1]])])
        invitation = Invitation(
            token: Digest(of: [50]),
            name: "Cy",
            expires: UnixTime(milliseconds: now.milliseconds + 1000)
        )
    }

    /// Fills an empty store.
    func fill(_ store: any Store) async throws {
        for author in [ann, bob] { try await author.person.found(in: store, at: now) }
        try await store.invite(invitation)
        _ = try await store.append(stored, to: ann.space, by: ann.row, at: now)
        try await store.want(Digest(of: [9]), in: ann.space, for: ann.device)
    }

    /// What there is to see.
    func state(of store: any Store) async throws -> StoreState {
        try await StoreState(of: store, authors: [ann, bob, newcomer])
    }
}

extension StoreScene {
    /// Every call that changes a store.
    var calls: [StoreCall] { accountCalls + logCalls + chunkCalls }

    private var accountCalls: [StoreCall] {
        [
            StoreCall("invite", isSeen: false) {
                let expires = UnixTime(milliseconds: .max)
                try await $0.invite(
                    Invitation(token: Digest(of: [60]), name: "Di", expires: expires)
                )
            },
            StoreCall("enter") {
                try await $0.enter(
                    Entering(
                        space: newcomer.space,
                        sets: try newcomer.person.entering(),
                        device: newcomer.device,
                        name: "d5",
                        token: invitation.token
                    ),
                    at: now
                )
            },
            StoreCall("raise a key epoch") {
                try await $0.raiseKeyEpoch(of: ann.device, above: 1)
            },
            StoreCall("replay revocations") {
                try await $0.replayRevocations([second.device, Identifier(number: 99)])
            },
            StoreCall("use a nonce", repeated: .other("false"), isSeen: false) {
                try await $0.useNonce("n", of: ann.device, at: now)
            },
        ]
    }

    private var logCalls: [StoreCall] {
        let (space, device) = (ann.space, ann.row)
        return [
            StoreCall("append") {
                try await $0.append(next, to: space, by: device, at: now)
            },
            StoreCall("refill") {
                try await $0.refill(lost, to: space, by: device, at: now)
            },
            StoreCall("decide") {
                try await $0.append([decision], to: space, by: device, at: now)
            },
            StoreCall("note a backup") { store in
                let extents = try await store.readSnapshot { try $0.spaces() }
                try await store.noteBackup(of: extents, epoch: store.epoch, at: now)
            },
        ]
    }

    private var chunkCalls: [StoreCall] {
        let (space, device) = (ann.space, ann.device)
        let (present, other) = (Author.chunk(1), Author.chunk(2))
        return [
            StoreCall("put a chunk") {
                try await $0.putChunk(other.bytes, other.hash, in: space, for: device)
            },
            StoreCall("want") { try await $0.want(Digest(of: [8]), in: space, for: device) },
            StoreCall("want chunks") {
                try await $0.wantChunks([ChunkPlace(space: space, hash: Digest(of: [7]))])
            },
            StoreCall("drop chunks") {
                try await $0.dropChunks([ChunkPlace(space: space, hash: present.hash)])
            },
        ]
    }
}

extension PushedSet {
    /// The set as one that only an admin can let count.
    func held() -> PushedSet {
        PushedSet(
            upload: upload,
            body: body,
            content: .unusable(.held, reason: "quota"),
            chunks: chunks
        )
    }

    /// The set as a member brings it back.
    func refilled(
        as proven: Verdict? = nil,
        withBody: Bool = true,
        reason: String = ""
    ) -> RefilledSet {
        RefilledSet(
            upload: upload,
            body: withBody ? body : nil,
            content: withBody ? content : nil,
            chunks: chunks,
            proven: proven,
            reason: reason
        )
    }
}
