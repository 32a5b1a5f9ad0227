import Judging
import SyncCore
import Testing

@testable import SyncServer

/// The vectors that only a server can judge.
@Suite struct ServerVectorTests {
    private static func vectors(_ kind: String) -> [Vector] {
        ((try? Vector.all()) ?? []).filter { $0.kind == kind }
    }

    @Test func `the files are there`() {
        #expect(Self.vectors("chain").count > 10)
        #expect(Self.vectors("server-key").count > 5)
    }

    @Test(arguments: vectors("server-key"))
    func `a key that a server derives is the vector's`(vector: Vector) throws {
        let keys = ServerKeys(master: Secret(bytes: try vector.bytes("secret")))
        let derived: Secret
        switch try vector.required("purpose") {
        case "receipt": derived = keys.receiptSecret
        default:
            let id = try vector.identifier("id")
            derived = keys.deviceSecret(of: id, epoch: try vector.integer("epoch"))
        }
        #expect(try derived.bytes == vector.bytes("key"))
    }

    @Test(arguments: vectors("chain"))
    func `a store judges push items in turn as the vector says`(vector: Vector) async throws {
        let author = Author(device: 1)
        #expect(try vector.identifier("space") == author.space)
        #expect(try vector.identifier("device") == author.device)
        let bed = try await StoreBed(.sqlite, with: author)
        #expect(try vector.integer("now") == bed.now.milliseconds)
        var results: [String] = []
        for item in try vector.allBytes("item") {
            results.append(try await result(of: item, by: author, in: bed))
        }
        #expect(results == vector.texts("result"))
        #expect(try await bed.page(for: author).chain == vector.digest("link"))
    }

    private func result(
        of item: [UInt8],
        by author: Author,
        in bed: StoreBed
    ) async throws -> String {
        switch check(item, author) {
        case .failure(let refusal): return refusal.type.rawValue
        case .success(let set):
            switch try await bed.append([set], by: author)[0] {
            case .judged(_, .accepted, _): return "accepted"
            case .judged(_, .held, _): return "held"
            case .judged(_, .refused, _): return "refused"
            case .failed(let problem, _): return problem
            }
        }
    }

    private func check(_ item: [UInt8], _ author: Author) -> Result<PushedSet, PushRefusal> {
        var budget = DecodingBudget()
        return PushedSet.check(item, in: author.space, by: author.deviceKeys, &budget)
    }

    @Test func `a flipped byte anywhere in a push item is refused`() throws {
        let author = Author(device: 1)
        let vector = try #require(Self.vectors("chain").first { $0.isGood })
        let item = try vector.allBytes("item")[0]
        for place in item.indices {
            for bit in 0..<8 {
                var flipped = item
                flipped[place] ^= 1 << bit
                #expect(throws: PushRefusal.self, "\(place), bit \(bit)") {
                    try check(flipped, author).get()
                }
            }
        }
    }
}
