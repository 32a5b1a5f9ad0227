@testable import SyncCore

@testable import SyncServer

/// A device that seals as a real one does, and otherwise where a test asks for it.
///
/// The device whose number is its user's founds the space; that device vouches for the others.
struct Author {
    /// The keys of a ``TestServer``.
    static let serverKeys = ServerKeys(master: Secret(bytes: [UInt8](repeating: 7, count: 32)))

    let person: Person
    let keys: KeyPairs
    /// The space that the sets are for: the own one, unless a test takes another.
    var place: Place { didSet { if place.space != oldValue.space { head = nil } } }
    var replica: Identifier
    /// The last set.
    private(set) var head: ReplicaHead?
    /// The stamp time of the next set.
    var time: UInt64 = 1_777_000_000_000 << 16

    /// - Parameter user: the number of the device that founds the user and the space.
    init(user: UInt64 = 1, device: UInt64) {
        person = Person(user)
        keys = Self.keys(of: device)
        place = Place(space: person.space, keys: person.spaceKeys, controls: person.controls)
        replica = Identifier(number: UInt128(device + 1_000_000))
    }

    /// A space, its keys, and the number of control sets that the next set names.
    struct Place {
        let space: Identifier
        let keys: SpaceKeys
        var controls: UInt64
    }

    /// The keys of a device, the same in every test and in the vectors.
    static func keys(of number: UInt64) -> KeyPairs {
        let byte = UInt8(truncatingIfNeeded: number)
        return KeyPairs(
            signing: SigningKey(seed: Secret(bytes: [UInt8](repeating: byte, count: 32))),
            agreement: AgreementKey(
                secret: Secret(bytes: [UInt8](repeating: byte ^ 0x80, count: 32))
            )
        )
    }

    var user: Identifier { person.founder.publicKeys.user }
    var device: Identifier { keys.publicKeys.device }
    var space: Identifier { place.space }
    var spaceKeys: SpaceKeys { place.keys }

    var deviceKeys: DeviceKeys { Self.serverKeys.deviceKeys(of: device, epoch: 1) }

    var row: Device {
        Device(
            id: device,
            user: user,
            name: "device",
            kind: .device,
            keyEpoch: 1,
            enrolled: UnixTime(milliseconds: 0),
            isRevoked: false
        )
    }

    /// What the next seal knows.
    var seal: Seal {
        Seal(
            space: space,
            device: device,
            replica: replica,
            sequence: (head?.sequence ?? 0) + 1,
            previous: head?.hash ?? .zero,
            seen: Seen(position: .none, chain: .zero, controls: place.controls)
        )
    }

    /// A set that the chain does not know.
    func sealed(_ values: [Key: Value], after seal: Seal? = nil) throws -> Seal.Sealed {
        let seal = seal ?? self.seal
        let changes = values.enumerated().map { index, entry in
            Change(
                key: entry.key,
                cell: Cell(
                    stamp: Stamp(time: time + UInt64(index), replica: seal.replica),
                    value: entry.value
                )
            )
        }
        return try seal(changes, space: spaceKeys, device: deviceKeys)
    }

    /// The next set of the chain.
    mutating func next(_ values: [Key: Value]? = nil) throws -> Seal.Sealed {
        let sequence = seal.sequence
        let sealed = try sealed(values ?? [Self.key: .integer(Int64(sequence))])
        head = ReplicaHead(sequence: sequence, hash: sealed.hash)
        time += 1000
        return sealed
    }

    /// The next set as the store gets it.
    mutating func push(
        _ values: [Key: Value]? = nil,
        chunks: [[UInt8]] = []
    ) throws -> PushedSet {
        try pushed(next(values), chunks: chunks)
    }

    func pushed(_ sealed: Seal.Sealed, chunks: [[UInt8]] = []) throws -> PushedSet {
        let item = PushItem(upload: sealed.upload, body: sealed.body, chunks: chunks)
        var budget = DecodingBudget()
        return try PushedSet.check(
            item.encoded,
            in: space,
            by: device,
            Self.serverKeys,
            &budget
        ).get()
    }

    /// A cell of a track.
    static let key = Key("track", .id(Identifier(number: 9)), "name")

    /// A chunk and the cell that names it.
    static func chunk(_ seconds: Int64) -> (bytes: [UInt8], hash: Digest, cell: [Key: Value]) {
        let samples = [Sample(time: UnixTime(milliseconds: 1_777_000_000_000 + seconds * 1000))]
        let bytes = Chunk.pack(samples)
        let reference = ChunkReference(to: bytes, ChunkSummary(of: samples))
        let name = SampleName(stream: UInt64(seconds), index: 0)
        let key = Key("points", .id(Identifier(number: 9)), name.field)
        return (bytes, reference.hash, [key: reference.value])
    }

    /// Signs a request as the device does.
    func signed(
        _ request: HTTPRequest,
        at time: UnixTime,
        nonce: String? = nil,
        key: MACKey? = nil
    ) throws -> HTTPRequest {
        var request = request
        let signature = RequestSignature(
            createdSeconds: time.milliseconds / 1000,
            nonce: nonce ?? Replica.randomIdentifier().description,
            keyIdentifier: device.description
        )
        let own = try unwrapped(deviceKeys.requestKey(epoch: 1))
        request.sign(signature, authority: "test:1", key: key ?? own)
        return request
    }
}

/// A user with an own space; the control chain of the first one has the cards of the devices 1 to 8.
struct Person: Sendable {
    let number: UInt64
    let founder: KeyPairs
    let space: Identifier
    let spaceKeys: SpaceKeys
    /// The control sets, with the chunks that they name.
    let sets: [(item: PushItem, upload: Upload)]

    /// The number of control sets.
    var controls: UInt64 { UInt64(sets.count) }
    /// The chunks of wraps that the control sets name.
    var chunks: [[UInt8]] { sets.flatMap(\.item.chunks) }

    private static let known = Locked<[UInt64: Person]>([:])

    init(_ number: UInt64) {
        self = Self.known.withLock { known in
            if let person = known[number] { return person }
            let person = Person(founding: number)
            known[number] = person
            return person
        }
    }

    private init(founding number: UInt64) {
        self.number = number
        founder = Author.keys(of: number)
        var random = SplitMix64(seed: number)
        var plan = ControlPlan()
        let secret = plan.found(.own, by: founder, using: &random)
        space = secret.space
        spaceKeys = SpaceKeys(space: space, secrets: [1: secret.secret])
        // One set, so that positions in a log are easy to tell.
        for other in 2...8 as ClosedRange<UInt64> where number == 1 {
            plan.add(
                Card(Author.keys(of: other), of: founder.publicKeys.user, as: .device),
                to: ControlChain(of: space),
                vouchedBy: founder,
                with: secret,
                using: &random
            )
        }
        sets = [Self.sealed(plan, after: ControlChain(of: space), by: founder)]
    }

    /// A control set of the founder, each after the one before, as a store gets it.
    func control(_ actions: [ControlAction], after earlier: [PushedSet] = []) throws -> PushedSet {
        var chain = ControlChain(of: space)
        for (item, upload) in sets { try chain.apply(ControlSet(upload, body: item.body ?? [])) }
        for set in earlier { try chain.apply(ControlSet(set.upload, body: set.body)) }
        let (item, _) = Self.sealed(ControlPlan(actions), after: chain, by: founder)
        var budget = DecodingBudget()
        return try PushedSet.check(
            item.encoded,
            in: space,
            by: founder.publicKeys.device,
            Author.serverKeys,
            &budget
        ).get()
    }

    private static func sealed(
        _ plan: ControlPlan,
        after chain: ControlChain,
        by founder: KeyPairs
    ) -> (item: PushItem, upload: Upload) {
        let seal = Seal(
            space: chain.space,
            device: founder.publicKeys.device,
            replica: Identifier(number: founder.publicKeys.device.number >> 1),
            sequence: chain.count + 1,
            previous: chain.head,
            seen: .nothing
        )
        let time = UnixTime(milliseconds: 1_777_000_000_000)
        let sealed = plan.seal(after: chain, as: seal, by: founder, at: time)
        do {
            let upload = try Upload(parsing: sealed.upload)
            let item = PushItem(upload: sealed.upload, body: sealed.body, chunks: plan.chunks)
            return (item, upload)
        } catch {
            preconditionFailure("the founder's set can be read: \(error)")
        }
    }

    /// The control sets as a store gets them.
    func entering() throws -> [RefilledSet] {
        var budget = DecodingBudget()
        let receipts = MACKey(Author.serverKeys.receiptSecret.bytes)
        return try sets.map { set in
            try RefilledSet.check(
                RefillItem(item: set.item.encoded).encoded,
                in: space,
                by: Author.serverKeys,
                receipts,
                covered: [],
                &budget
            ).get()
        }
    }

    /// Has a store host the space with all devices.
    func found(in store: any Store, at now: UnixTime) async throws {
        let token = Digest(of: space.bytes)
        let invitation = Invitation(
            token: token,
            name: "Ann",
            expires: UnixTime(milliseconds: .max)
        )
        try await store.invite(invitation)
        let entering = Entering(
            space: space,
            sets: try entering(),
            device: founder.publicKeys.device,
            name: "device",
            token: token
        )
        let results = try await store.enter(entering, at: now)
        for case .failed(let problem, _) in results {
            preconditionFailure("the founder's sets are taken: \(problem)")
        }
    }
}
