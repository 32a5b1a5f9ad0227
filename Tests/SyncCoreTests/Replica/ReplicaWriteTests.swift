@testable import SyncCore
import Testing

/// What a rolled-back transaction must leave nothing of, in memory as in the file.
@Suite struct ReplicaWriteTests {
    private struct Stop: Error {}

    @Test func `a replica's number is forgotten with the transaction that gave it`() async throws {
        let device = try TestDevice(1)
        let (lost, next) = (Replica.randomIdentifier(), Replica.randomIdentifier())
        await #expect(throws: Stop.self) {
            try await device.replica.write {
                _ = try $0.replicas.number(of: lost)
                throw Stop()
            }
        }
        let numbers = try await device.replica.write {
            [try $0.replicas.number(of: next), try $0.replicas.number(of: lost)]
        }
        #expect(Set(numbers).count == 2)
    }
}
