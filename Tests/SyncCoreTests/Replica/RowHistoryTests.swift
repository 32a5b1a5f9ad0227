@testable import SyncCore
import Testing

@Suite struct RowHistoryTests {
    @Test func `a row that was written hundreds of times keeps its whole history`() async throws {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let count = SetNumbers.blockLimit * 2 + 5
        for number in 1...count {
            let now = Time.start + Int64(number) * 10
            try await one.set("name", .text(Text("name \(number)")), at: now)
            try await one.settle(&log, at: now)
        }
        try await two.settle(&log, at: Time.start + Int64(count) * 10 + 10)
        for device in [one, two] {
            let entries = try await device.replica.read {
                try $0.history.entries(
                    of: "track",
                    .id(Identifier(number: 1)),
                    in: TestDevice.space
                )
            }
            let names = entries.compactMap(\.change.cell.value.text)
            #expect(names == (1...count).map { "name \($0)" })
            #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
        }
    }
}
