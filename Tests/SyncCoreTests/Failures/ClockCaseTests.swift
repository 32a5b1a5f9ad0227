@testable import SyncCore
import Testing

/// Restarts between edit and sync, and writes with one stamp.
@Suite struct ClockCaseTests {
    private let row = Identifier(number: 1)

    /// What a server refuses: stamps more than five minutes ahead.
    private func judge(at now: Int64) -> (Upload) -> (Verdict, String) {
        { upload in
            upload.header.stamps.upperBound > UInt64(now + 300_000) << 16
                ? (.refused, "clock") : (.accepted, "")
        }
    }

    @Test(
        arguments: [
            (Time.hour, -Time.hour / 2), (-Time.hour, Time.hour), (Time.year, 0),
            (0, -Time.start), (-Time.start, Time.hour),
        ] as [(Int64, Int64)]
    )
    func `C5 a restart between edit and sync leaves the order as it was`(
        before: Int64,
        after: Int64
    ) async throws {
        var fleet = try await Fleet(2)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        let start = Time.start + Time.hour
        one.wallError = before
        try await one.set("name", .text("written before"), at: start)
        try await one.set("notes", .text("written before"), at: start + Time.second)
        one.boot = Identifier(number: 2)
        try one.restart()
        one.wallError = after
        try await one.set("name", .text("written after"), at: start + 10 * Time.second)
        try await one.set("colour", .text("written last"), at: start + 20 * Time.second)
        let now = start + 30 * Time.second
        try await one.replica.write { [anchor = one.anchor(at: now)] in
            try $0.clockPeriods.learn(anchor)
        }
        fleet.log.judge = judge(at: now)
        try await fleet.settle(at: now)
        #expect(fleet.log.entries.allSatisfy { $0.verdict == .accepted })
        let cells = try await two.replica.read {
            try $0.rows.cells("track", .id(row), in: TestDevice.space)
        }
        #expect(cells["name"]?.value == .text("written after"))
        let times = ["notes", "name", "colour"].compactMap { cells[$0]?.stamp.time }
        #expect(times.count == 3 && times == times.sorted() && Set(times).count == 3)
        #expect(times.allSatisfy { $0 <= UInt64(now + 2 * Time.second) << 16 })
        // What is written later elsewhere wins.
        try await two.set("name", .text("elsewhere"), at: now + Time.hour)
        fleet.log.judge = judge(at: now + Time.hour)
        try await fleet.settle(at: now + Time.hour)
        #expect(try await one.value("name") == .text("elsewhere"))
    }

    @Test(arguments: [true, false])
    func `C8 two devices that write with one stamp agree, whoever syncs first`(
        isFirstFirst: Bool
    ) async throws {
        var fleet = try await Fleet(2)
        let now = Time.start + Time.hour
        for (device, name) in zip(fleet.devices, ["one", "two"]) {
            try await device.set("name", .text(Text(name)), at: now)
        }
        let order = isFirstFirst ? fleet.devices : fleet.devices.reversed()
        for device in order + order { try await device.settle(&fleet.log, at: now + 1) }
        try await fleet.settle(at: now + Time.second)
        let written = fleet.log.accepted.filter { $0.key == Key("track", .id(row), "name") }
        #expect(written.count == 2 && Set(written.map(\.cell.stamp.time)).count == 1)
        let winner = try #require(written.max { $0.cell.stamp.replica < $1.cell.stamp.replica })
        for device in fleet.devices { #expect(try await device.value("name") == winner.cell.value) }
    }

    @Test func `C8 two clones that write with one stamp under one name agree`() async throws {
        var fleet = try await Fleet(2)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        let now = Time.start + Time.hour
        let clone = try await one.clone(as: "clone")
        for (device, name) in [(one, "original"), (clone, "clone")] {
            try await device.set("name", .text(Text(name)), at: now)
        }
        let stamps = [
            try await one.replica.read {
                try $0.rows.cells("track", .id(row), in: TestDevice.space)
            }["name"]?.stamp,
            try await clone.replica.read {
                try $0.rows.cells("track", .id(row), in: TestDevice.space)
            }["name"]?.stamp,
        ]
        #expect(stamps[0] == stamps[1] && stamps[0] != nil)
        for device in [clone, one, clone] { try await device.settle(&fleet.log, at: now) }
        try await fleet.settle(at: now)
        try await clone.settle(&fleet.log, at: now)
        let values = [
            try await one.value("name"), try await two.value("name"), try await clone.value("name"),
        ]
        #expect(Set(values).count == 1 && values[0] != nil)
        let history = try await two.replica.read {
            try $0.history.entries(of: "track", .id(row), in: TestDevice.space)
        }
        #expect(Set(history.map(\.change.cell.value)) == ["original", "clone"])
    }
}
