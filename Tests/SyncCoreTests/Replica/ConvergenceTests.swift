import Harness
import Testing

@testable import SyncCore

/// After any loss, repetition, order and clock error all replicas are what the log says.
@Suite struct ConvergenceTests {
    @Test(arguments: Rounds.seeds(10))
    func `after quiescence all replicas are equal to the merge of the log`(seed: UInt64)
        async throws
    {
        var random = SplitMix64(seed: seed)
        var now = Time.start
        var log = LogDouble(keys: TestDevice.spaceKeys)
        var devices: [TestDevice] = []
        for number in 1...UInt64.random(in: 3...4, using: &random) {
            devices.append(try await TestDevice.joined(number, at: now))
        }
        for _ in 0..<60 {
            now += Int64.random(in: 0...3000, using: &random)
            guard let device = devices.randomElement(using: &random) else { break }
            try await step(device, &log, now, &random)
            if Int.random(in: 0..<12, using: &random) == 0 {
                try await copy(device, &devices, &random)
            }
        }
        try await quiesce(devices, &log, at: now + Time.hour)
        let (cells, fingerprint) = (log.cells(), log.fingerprint())
        for device in devices {
            #expect(try await device.summary.fingerprint == fingerprint, "seed \(seed)")
            #expect(try await device.cells() == cells, "seed \(seed)")
            #expect(
                try await device.replica.read { try $0.maintenance.status() }.isSent,
                "seed \(seed)"
            )
            #expect(
                try await device.replica.read { try $0.maintenance.status() }.mismatches == 0,
                "seed \(seed)"
            )
            #expect(try await !device.replica.hasOverlay(), "seed \(seed)")
            #expect(
                try await device.replica.read { try $0.maintenance.verify() }.faults == [],
                "seed \(seed)"
            )
        }
    }

    private func step(
        _ device: TestDevice,
        _ log: inout LogDouble,
        _ now: Int64,
        _ random: inout SplitMix64
    ) async throws {
        let bound = UInt64(now + 300_000) << 16
        let greatest = log.accepted.map(\.cell.stamp.time).max() ?? 0
        let isStrict = Int.random(in: 0..<20, using: &random) == 0
        log.judge = { upload in
            if isStrict { return (.refused, "role") }
            let isEarly =
                upload.header.stamps.upperBound
                > max(bound, greatest + UInt64(upload.header.cellCount))
            return isEarly ? (.refused, "clock") : (.accepted, "")
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<6: try await edit(device, now, &random)
        case 6: try device.restart()
        case 7:
            device.wallError =
                [0, 0, Time.hour, -Time.hour, Time.year, -Time.start].randomElement(using: &random)
                ?? 0
        case 8: try await device.seal(at: now)
        default:
            try await device.sync(
                &log,
                at: now,
                .init(
                    losesAnswer: Int.random(in: 0..<4, using: &random) == 0,
                    skipsPull: Int.random(in: 0..<5, using: &random) == 0,
                    pageLimit: [1, 2, 5, .max].randomElement(using: &random) ?? 1,
                    repeatsPages: Bool.random(using: &random)
                )
            )
        }
    }

    /// A backup is made or put back with its guard or without, or a clone begins to live.
    private func copy(
        _ device: TestDevice,
        _ devices: inout [TestDevice],
        _ random: inout SplitMix64
    ) async throws {
        let hasGuard = Bool.random(using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0..<2: try await device.copyFiles(to: device.file + "-backup", withGuard: true)
        case 2:
            guard device.folder.contains(device.file + "-backup.seals") else { return }
            try await device.restore(from: device.file + "-backup", withGuard: hasGuard)
        default:
            guard devices.count < 6 else { return }
            devices.append(try await device.clone(as: "clone\(devices.count)"))
        }
    }

    private func edit(_ device: TestDevice, _ now: Int64, _ random: inout SplitMix64) async throws {
        let fields: [Text] = ["name", "notes", "deleted"]
        let values: [Value] = [.text("a"), .text("b"), .bool(true), .null]
        try await device.set(
            fields.randomElement(using: &random) ?? "name",
            values.randomElement(using: &random) ?? .null,
            of: Identifier(number: UInt128(Int.random(in: 1...2, using: &random))),
            at: now
        )
    }

    private func quiesce(
        _ devices: [TestDevice],
        _ log: inout LogDouble,
        at now: Int64
    ) async throws {
        log.judge = { upload in
            upload.header.stamps.upperBound > UInt64(now + 300_000) << 16
                ? (.refused, "clock") : (.accepted, "")
        }
        for device in devices { device.wallError = 0 }
        for device in devices + devices { try await device.settle(&log, at: now) }
    }
}
