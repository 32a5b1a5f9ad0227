import Foundation
import Testing

@testable import SyncCore

@Suite struct StatusCountTests {
    /// `wake status` must answer at once on any library, so its work may not grow with it.
    @Test(arguments: StatusCount.allCases)
    func `no count of the status reads all sets`(count: StatusCount) throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "wake-\(UInt64.random(in: .min ... .max)).db").path()
        defer {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        let database = try Database(path: path)
        try Replica.migrations.migrate(database)
        var query = count.sql
        query.parts[0] = "EXPLAIN QUERY PLAN " + query.parts[0]
        let plan = try database.all(query) { $0.text(3) }
        #expect(!plan.isEmpty)
        for step in plan where step.contains(" sealed") {
            #expect(step.contains("USING INDEX sealed_") || step.contains("COVERING INDEX sealed_"))
        }
    }
}
