import Testing

@testable import SyncCore

/// The numbers of field names in a database.
@Suite struct NamesTests {
    private let row = Identifier(number: 1)

    @Test func `a flood of names fills no table, and every field is read back`() async throws {
        let device = try await TestDevice.joined(1)
        let edits = (0..<5000).map {
            Edit(Key("track", .id(row), Text("invented \($0)")), .integer(Int64($0)))
        }
        let now = device.moment(Time.start)
        try await device.replica.write { [edits] in
            try $0.rows.write(edits, in: TestDevice.space, at: now)
        }
        #expect(try await device.replica.nameCount() < 4096)
        try device.restart()
        let cells = try await device.replica.read {
            try $0.rows.cells("track", .id(row), in: TestDevice.space)
        }
        #expect(cells.count == 5000)
        for edit in edits { #expect(cells[edit.key.field]?.value == edit.value) }
        // A further field of a full table, and one that has a number.
        try await device.set("one more", .text("x"), at: Time.start + 1)
        try await device.set("invented 7", .text("y"), at: Time.start + 1)
        #expect(try await device.value("one more") == .text("x"))
        #expect(try await device.value("invented 7") == .text("y"))
    }
}

extension Replica {
    fileprivate func nameCount() throws -> Int {
        try database.first("SELECT count(*) FROM field") { Int($0.integer(0)) } ?? 0
    }
}
