@testable import SyncCore
import Testing

@Suite struct SettingTests {
    @Test(arguments: [
        (Setting.metric, "yes", Value.bool(true)), (.metric, "OFF", .bool(false)),
        (.speedUnit, "km/h", .text("km/h")),
        (
            .heartRateZones, "114,133, 152 171,190",
            .list([114, 133, 152, 171, 190].map(Value.integer))
        ),
    ])
    func `what a person types is read`(setting: Setting, text: String, value: Value) {
        #expect(setting.type.value(of: text) == value)
    }

    @Test(arguments: [
        (Setting.metric, "maybe"), (.metric, ""), (.speedUnit, "furlongs"), (.speedUnit, "Knots"),
        (.heartRateZones, "1,2,3"), (.heartRateZones, "114,133,152,171,171"),
        (.heartRateZones, "114,133,152,171,x"), (.heartRateZones, "10,133,152,171,190"),
        (.heartRateZones, "114,133,152,171,99999999999999999999"),
    ])
    func `what a setting may not hold is refused`(setting: Setting, text: String) {
        #expect(setting.type.value(of: text) == nil)
    }

    @Test func `every default is accepted, and every key is one setting`() {
        #expect(Setting.all.allSatisfy { $0.type.accepts($0.defaultValue) })
        #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
        #expect(Setting.all.allSatisfy { !$0.type.accepts(.null) && !$0.type.accepts(.float(1)) })
        #expect(Setting.named("metric")?.key == "metric")
        #expect(Setting.named("nothing") == nil)
    }

    private func state(_ device: TestDevice, _ setting: Setting) async throws -> SettingState {
        let states = try await device.replica.read { try $0.settings.all(in: TestDevice.space) }
        guard let state = states.first(where: { $0.setting.key == setting.key }) else {
            throw ReplicaError.missing
        }
        return state
    }

    @Test func `G3 a default is code, and setting it back writes only what was set`() async throws {
        let device = try await TestDevice.joined(1)
        let row = Row.user(TestDevice.user)
        func cells() async throws -> [Text: Cell] {
            try await device.replica.read {
                try $0.rows.cells(Setting.collection, row, in: TestDevice.space)
            }
        }
        func set(_ value: Value) async throws {
            try await device.replica.write { [now = device.moment(Time.start)] in
                try $0.settings.set(
                    .metric,
                    to: value,
                    in: TestDevice.space,
                    at: now
                )
            }
        }
        #expect(try await state(device, .metric).isDefault)
        try await set(.null)
        #expect(try await cells().isEmpty)
        try await set(.bool(false))
        #expect(try await state(device, .metric).value == .bool(false))
        try await set(.null)
        #expect(try await state(device, .metric).isDefault)
    }

    @Test func `G1 a value of another version is kept, and the last usable one is used`()
        async throws
    {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let key = Key(Setting.collection, Row.user(TestDevice.user), "speedUnit")
        func write(_ text: Text, at now: Int64) async throws {
            let edit = Edit(key, .text(text))
            try await device.replica.write { [now = device.moment(now)] in
                try $0.rows.write([edit], in: TestDevice.space, at: now)
            }
        }
        try await write("mph", at: Time.start)
        try await device.settle(&log, at: Time.start)
        try await write("parsecs", at: Time.start + 1)
        var state = try await state(device, .speedUnit)
        #expect(state.value == .text("mph"))
        #expect(state.unusable == .text("parsecs"))
        #expect(!state.isDefault)
        // A value that was refused was never anybody's.
        log.judge = { _ in (.refused, "role") }
        try await write("m/s", at: Time.start + 2)
        try await device.settle(&log, at: Time.start + 2)
        log.judge = { _ in (.accepted, "") }
        try await write("furlongs", at: Time.start + 3)
        state = try await self.state(device, .speedUnit)
        #expect(state.value == .text("mph"))
    }
}
