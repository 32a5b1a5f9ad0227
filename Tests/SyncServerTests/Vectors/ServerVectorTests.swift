import Judging
import Testing

@testable import SyncCore
@testable import SyncServer

/// The vectors that only a server can judge.
@Suite struct ServerVectorTests {
    private static func vectors(_ kind: String) -> [Vector] {
        ((try? Vector.all()) ?? []).filter { $0.kind == kind }
    }

    @Test func `the files are there`() {
        #expect(Self.vectors("chain").count > 10)
        #expect(Self.vectors("server-key").count > 5)
        #expect(Self.vectors("challenge").count > 5)
    }

    @Test(arguments: vectors("server-key"))
    func `a key that a server derives is the vector's`(vector: Vector) throws {
        let keys = ServerKeys(master: Secret(bytes: try vector.bytes("secret")))
        let derived: Secret
        switch try vector.required("purpose") {
        case "receipt": derived = keys.receiptSecret
        case "challenge": derived = keys.challengeSecret
        default:
            let id = try vector.identifier("id")
            derived = keys.deviceSecret(of: id, epoch: try vector.integer("epoch"))
        }
        #expect(try derived.bytes == vector.bytes("key"))
    }

    @Test(arguments: vectors("challenge"))
    func `a server takes its own challenges as the vector says`(vector: Vector) throws {
        let challenge = Challenge(ServerKeys(master: Secret(bytes: try vector.bytes("master"))))
        let text = try vector.required("text")
        let now = UnixTime(milliseconds: try vector.integer("now"))
        #expect(challenge.isValid(text, at: now) == vector.isGood)
        guard vector.text("made") != nil else { return }
        let made = UnixTime(milliseconds: try vector.integer("made"))
        #expect(try challenge.make(at: made, random: vector.bytes("random")) == text)
    }

    @Test(arguments: vectors("chain"))
    func `a store judges push items in turn as the vector says`(vector: Vector) async throws {
        let judge = try ServerJudge(of: vector)
        var results: [String] = []
        for item in try vector.allBytes("item") {
            results.append(try await judge.result(of: item, isFirst: results.isEmpty))
        }
        #expect(results == vector.texts("result"))
        #expect(try await judge.link == vector.digest("link"))
    }

    @Test func `a flipped byte anywhere in a push item is refused`() throws {
        let vector = try #require(Self.vectors("chain").first { $0.isGood })
        let judge = try ServerJudge(of: vector)
        let item = try vector.allBytes("item")[1]
        for place in item.indices {
            for bit in 0..<8 {
                var flipped = item
                flipped[place] ^= 1 << bit
                #expect(throws: PushRefusal.self, "\(place), bit \(bit)") {
                    try judge.check(flipped).get()
                }
            }
        }
    }
}

/// A server that hosts the space of a vector once its first item has founded it.
private struct ServerJudge {
    private let bed: StoreBed
    private let space: Identifier
    private let device: Identifier
    private let keys: ServerKeys

    init(of vector: Vector) throws {
        bed = try StoreBed(.sqlite)
        #expect(try vector.integer("now") == bed.now.milliseconds)
        (space, device) = (try vector.identifier("space"), try vector.identifier("device"))
        keys = ServerKeys(master: Secret(bytes: try vector.bytes("master")))
    }

    /// The last link of the log.
    var link: Digest {
        get async throws {
            try await bed.store.page(of: space, after: 0, for: nil, byteLimit: 1 << 20).chain
        }
    }

    func result(of item: [UInt8], isFirst: Bool) async throws -> String {
        do {
            let results =
                isFirst ? try await enter(refilled(item)) : try await append(check(item).get())
            return results[0].text
        } catch let refusal as PushRefusal {
            return refusal.type.rawValue
        }
    }

    func check(_ item: [UInt8]) -> Result<PushedSet, PushRefusal> {
        var budget = DecodingBudget()
        return PushedSet.check(item, in: space, by: device, keys, &budget)
    }

    private func append(_ set: PushedSet) async throws -> [PushResult] {
        let row = try #require(try await bed.store.device(device))
        return try await bed.store.append([set], to: space, by: row, at: bed.now)
    }

    /// The founding set as a server gets it with a request to enrol.
    private func refilled(_ item: [UInt8]) throws -> RefilledSet {
        var budget = DecodingBudget()
        return try RefilledSet.check(
            RefillItem(item: item).encoded,
            in: space,
            by: keys,
            MACKey(keys.receiptSecret.bytes),
            covered: [],
            &budget
        ).get()
    }

    private func enter(_ set: RefilledSet) async throws -> [PushResult] {
        let token = Digest(of: space.bytes)
        let expires = UnixTime(milliseconds: .max)
        try await bed.store.invite(Invitation(token: token, name: "Ann", expires: expires))
        let entering = Entering(
            space: space,
            sets: [set],
            device: device,
            name: "boat",
            token: token
        )
        return try await bed.store.enter(entering, at: bed.now)
    }
}

extension PushResult {
    fileprivate var text: String {
        switch self {
        case .judged(_, .accepted, _): "accepted"
        case .judged(_, .held, _): "held"
        case .judged(_, .refused, _): "refused"
        case .failed(let problem, _): problem
        }
    }
}
