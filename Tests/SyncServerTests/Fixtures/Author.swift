@testable import SyncCore

@testable import SyncServer

/// A device that seals as a real one does, and otherwise where a test asks for it.
struct Author {
    /// The keys of a ``TestServer``.
    static let serverKeys = ServerKeys(master: Secret(bytes: [UInt8](repeating: 7, count: 32)))

    let user: Identifier
    let device: Identifier
    let space: Identifier
    var replica: Identifier
    /// The last set.
    private(set) var head: ReplicaHead?
    /// The stamp time of the next set.
    var time: UInt64 = 1_777_000_000_000 << 16

    init(user: UInt64 = 1, device: UInt64, space: UInt64 = 100) {
        self.user = Identifier(number: UInt128(user))
        self.device = Identifier(number: UInt128(device))
        self.space = Identifier(number: UInt128(space))
        replica = Identifier(number: UInt128(device + 1_000_000))
    }

    var deviceKeys: DeviceKeys { Self.serverKeys.deviceKeys(of: device, epoch: 1) }

    var spaceKeys: SpaceKeys {
        SpaceKeys(space: space, secrets: [1: Secret(bytes: [UInt8](repeating: 9, count: 32))])
    }

    var row: Device {
        Device(
            id: device,
            user: user,
            name: "device",
            keyEpoch: 1,
            enrolled: UnixTime(milliseconds: 0),
            isRevoked: false,
            hasSigned: true
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
            seen: .none
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
        return try PushedSet.check(item.encoded, in: space, by: deviceKeys, &budget).get()
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
