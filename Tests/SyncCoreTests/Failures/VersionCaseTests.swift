@testable import SyncCore
import Testing

/// Programs of several ages in one space.
@Suite struct VersionCaseTests {
    private let row = Identifier(number: 1)

    @Test func `V2 an edit by an older program leaves what it does not know`() async throws {
        var fleet = try await Fleet(2)
        let (newer, older) = (fleet.devices[0], fleet.devices[1])
        let unknown: [Edit] = [
            Edit(Key("track", .id(row), "mood"), .map(["sun": .float(0.25), "": .list([.null])])),
            Edit(Key("track", .id(row), "name"), "from the newer one"),
            Edit(Key("constellation", .text("Orion/β"), "of/three stars"), .bytes([1, 2, 3])),
        ]
        let now = newer.moment(Time.start + 1)
        try await newer.replica.write { try $0.rows.write(unknown, in: TestDevice.space, at: now) }
        try await fleet.settle(at: Time.start + 1)
        let before = fleet.log.cells()
        try await older.set("name", "renamed", at: Time.start + 2)
        try await older.set("deleted", .bool(true), at: Time.start + 3)
        try await older.set("deleted", .null, at: Time.start + 4)
        try await fleet.settle(at: Time.start + 5)
        for edit in [unknown[0], unknown[2]] {
            let cells = try await newer.cells()
            #expect(cells[edit.key] == before[edit.key])
            #expect(cells[edit.key]?.encoded == edit.value.encoded)
        }
        #expect(try await newer.value("name") == "renamed")
    }

    @Test func `V3 a value of another type is kept, shown as none, and written over`() async throws
    {
        var fleet = try await Fleet(2)
        let (newer, older) = (fleet.devices[0], fleet.devices[1])
        try await newer.set("start", .text("next Tuesday"), at: Time.start + 1)
        try await newer.set("name", .map(["en": "sail", "de": "Segeln"]), at: Time.start + 1)
        try await newer.set("name/2", "sail", at: Time.start + 1)
        try await fleet.settle(at: Time.start + 2)
        let listed = try #require(
            try await older.replica.read { try $0.tracks.all(in: TestDevice.space) }.first
        )
        #expect(listed.name == nil && listed.start == nil)
        #expect(try await older.value("name") == .map(["en": "sail", "de": "Segeln"]))
        try await older.set("name", "old", at: Time.start + 3)
        try await fleet.settle(at: Time.start + 4)
        for device in fleet.devices {
            #expect(try await device.value("name/2") == "sail")
            let history = try await device.replica.read {
                try $0.history.entries(
                    of: "track",
                    .id(row),
                    in: TestDevice.space
                )
            }
            let names = history.filter { $0.change.key.field == "name" }
            #expect(
                names.map(\.change.cell.value) == [.map(["en": "sail", "de": "Segeln"]), "old"]
            )
        }
    }

    @Test func `V6 names that look like SQL are names`() async throws {
        var fleet = try await Fleet(2)
        let names: [Text] = [
            "x'); DROP TABLE row; --", "\"row\"", "row\u{0}self", "'", "%", "$1", "; PRAGMA x",
        ]
        let edits = names.flatMap { name in
            names.map { Edit(Key(name, .text($0), name), .text($0)) }
        }
        let one = fleet.devices[0]
        try await one.replica.write { [now = one.moment(Time.start + 1)] in
            try $0.rows.write(edits, in: TestDevice.space, at: now)
        }
        try await fleet.settle(at: Time.start + 2)
        for device in fleet.devices {
            for edit in edits {
                let cells = try await device.replica.read {
                    try $0.rows.cells(
                        edit.key.collection,
                        edit.key.row,
                        in: TestDevice.space
                    )
                }
                #expect(cells == [edit.key.field: cells[edit.key.field]].compactMapValues { $0 })
                #expect(cells[edit.key.field]?.value == edit.value)
            }
            let rows = try await device.replica.read {
                try $0.rows.list(names[0], in: TestDevice.space)
            }
            #expect(rows.count == names.count)
        }
    }

    @Test func `G2 settings that belong together are one value, so no merge parts them`()
        async throws
    {
        var fleet = try await Fleet(2)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        func zones(_ numbers: [Int64]) -> Value { .list(numbers.map(Value.integer)) }
        let values = [zones([90, 100, 110, 120, 130]), zones([140, 150, 160, 170, 180])]
        for (device, value) in zip(fleet.devices, values) {
            try await device.replica.write { [now = device.moment(Time.start + 1)] in
                try $0.settings.set(
                    .heartRateZones,
                    to: value,
                    in: TestDevice.space,
                    at: now
                )
            }
        }
        try await fleet.settle(at: Time.start + 2)
        var found: [Value] = []
        for device in [one, two] {
            let states = try await device.replica.read { try $0.settings.all(in: TestDevice.space) }
            let state = try #require(states.first { $0.setting.key == "heartRateZones" })
            #expect(state.unusable == nil && !state.isDefault)
            found.append(state.value)
        }
        #expect(found[0] == found[1] && values.contains(found[0]))
        // What no merge makes a program can still write; looking at it writes nothing.
        let key = Key(Setting.collection, Row.user(TestDevice.user), "heartRateZones")
        let edit = Edit(key, zones([180, 170, 160, 150, 140]))
        try await one.replica.write { [now = one.moment(Time.start + 3)] in
            try $0.rows.write([edit], in: TestDevice.space, at: now)
        }
        try await fleet.settle(at: Time.start + 4)
        let states = try await two.replica.read { try $0.settings.all(in: TestDevice.space) }
        let state = try #require(states.first { $0.setting.key == "heartRateZones" })
        #expect(state.value == found[0] && state.unusable == edit.value)
        #expect(try await two.replica.read { try $0.maintenance.status() }.unsealed == 0)
    }
}
