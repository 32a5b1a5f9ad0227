import Judging
import SyncCore
import Testing

/// Every file of `Tests/Vectors`: bytes that were made once, by other programs, and never change.
@Suite struct VectorTests {
    private static let judged: [Vector] = {
        let all = (try? Vector.all()) ?? []
        return all.filter { !Judge.serverKinds.contains($0.kind) }
    }()

    @Test func `the files are there, and no two vectors have one name`() throws {
        let names = try Vector.all().map(\.description)
        #expect(names.count > 1000)
        #expect(Set(names).count == names.count)
        #expect(try Vector.all().allSatisfy { $0.expected != nil })
    }

    @Test(arguments: judged) func `Wake says of a vector what its file says`(
        vector: Vector
    ) throws {
        let differences = try Judge.judge(vector).differences(from: vector)
        #expect(differences == [])
    }
}
