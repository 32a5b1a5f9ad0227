import Harness
import SyncCore
import Testing

@testable import SyncServer

/// A flipped bit in the server's record of a replica's newest set.
@Suite(.hangLimit) struct DamagedHeadTests {
    static let columns = ["sequence", "hash", "closed", "signature", "controls", "sum"]

    /// A couple whose server has a flipped bit in the record of the boat's newest set.
    private func couple(damaging column: String) async throws -> Couple {
        let couple = try await Couple()
        try await couple.boat.set("name", "written", of: couple.track)
        try await couple.boat.sync()
        let replica = try await couple.boat.replica.read { try $0.identity.current() }.replica
        let database = try Database(path: couple.server.folder.path + "/store.db")
        if ["hash", "signature"].contains(column) {
            let bytes = try #require(
                try database.first(
                    "SELECT hash, signature FROM replica_head WHERE replica_id = \(replica)"
                ) { $0.blob(column == "hash" ? 0 : 1) }
            )
            let flipped = bytes.enumerated().map { $0.offset == 5 ? $0.element ^ 16 : $0.element }
            try database.run(
                column == "hash"
                    ? "UPDATE replica_head SET hash = \(flipped) WHERE replica_id = \(replica)"
                    : "UPDATE replica_head SET signature = \(flipped) WHERE replica_id = \(replica)"
            )
        } else {
            // The exclusive or with 1.
            try database.execute(
                "UPDATE replica_head SET \(column) = (\(column) | 1) - (\(column) & 1) "
                    + "WHERE sequence = (SELECT max(sequence) FROM replica_head)"
            )
        }
        return couple
    }

    @Test(arguments: columns) func `it is told, accuses nobody, and is gone after the next sync`(
        column: String
    ) async throws {
        let couple = try await couple(damaging: column)
        #expect(try await couple.server.findings().contains { $0.contains("is damaged") })
        let newcomer = try TestDevice("newcomer", couple.server)
        try await newcomer.join(try await couple.phone.link())
        try await couple.boat.sync()
        for device in [couple.phone, newcomer] { try await device.sync() }
        try await [couple.boat, couple.phone, newcomer].settle(with: couple.server)
    }

    @Test(arguments: columns) func `the owner's next set is accepted`(column: String) async throws {
        let couple = try await couple(damaging: column)
        try await couple.boat.set("name", "again", of: couple.track)
        #expect(try await couple.boat.sync().end == .complete)
        try await [couple.boat, couple.phone].settle(with: couple.server)
        #expect(try await couple.phone.value("name", of: couple.track) == "again")
    }
}
