@testable import SyncCore
import Testing

/// What a database notes for its person.
@Suite struct EventsTests {
    @Test(arguments: [true, false])
    func `I1 I2 a restored database notes its new name`(withGuard: Bool) async throws {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.set("name", .text("a"), at: Time.start)
        try await device.settle(&log, at: Time.start)
        try await device.copyFiles(to: "backup", withGuard: withGuard)
        for value in ["b", "c", "d"] {
            try await device.set("name", .text(Text(value)), at: Time.start)
            try await device.settle(&log, at: Time.start)
        }
        #expect(try await device.replica.read { try $0.events.latest() }.isEmpty)
        try await device.restore(from: "backup", withGuard: withGuard)
        try await device.set("name", .text("e"), at: Time.start + Time.hour)
        try await device.settle(&log, at: Time.start + Time.hour)
        let event = try #require(try await device.replica.read { try $0.events.last(.renamed) })
        #expect(
            event.detail == "\(try await device.replica.read { try $0.identity.current() }.replica)"
        )
        #expect(event.time == device.wall(Time.start + Time.hour))
        #expect(try await device.replica.read { try $0.events.latest() }.count == 1)
    }

    @Test func `the newest thousand events are kept`() async throws {
        let device = try await TestDevice.joined(1)
        for number in 1...1005 {
            try await device.replica.write {
                try $0.overlay.renameReplica(at: UnixTime(milliseconds: Int64(number)))
            }
        }
        let events = try await device.replica.read { try $0.events.latest(limit: 2000) }
        #expect(events.count == 1000)
        #expect(events.first?.time == UnixTime(milliseconds: 1005))
    }
}
