@testable import SyncCore
import Testing

/// Databases that were copied, restored or cloned.
@Suite struct IdentityTests {
    private func settle(_ devices: [TestDevice], _ log: inout LogDouble, at now: Int64) async throws
    {
        for device in devices + devices + devices { try await device.settle(&log, at: now) }
        for device in devices {
            #expect(try await device.summary.fingerprint == log.fingerprint())
            #expect(try await device.cells() == log.cells())
            #expect(try await device.replica.read { try $0.maintenance.verify() }.faults == [])
        }
        let names = log.entries.map { "\($0.name.replica)/\($0.name.sequence)" }
        #expect(Set(names).count == names.count, "no name twice")
    }

    private func writes(_ log: LogDouble) -> Set<Value> {
        Set(log.accepted.filter { $0.key.collection == "track" }.map(\.cell.value))
    }

    /// Writes and seals one value, in as many sets.
    private func seal(_ values: [String], on device: TestDevice, at now: Int64) async throws {
        for value in values {
            try await device.set("name", .text(Text(value)), at: now)
            try await device.seal(at: now)
        }
    }

    @Test func `I1 a database that was put back takes a new name before it seals`() async throws {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await seal(["a"], on: device, at: Time.start)
        try await device.copyFiles(to: "backup", withGuard: false)
        try await seal(["b", "c", "d"], on: device, at: Time.start)
        try await device.settle(&log, at: Time.start)
        let before = try await device.replica.read { try $0.identity.current() }.replica
        try await device.restore(from: "backup", withGuard: false)
        #expect(try await device.replica.read { try $0.identity.current() }.replica == before)
        try await seal(["e"], on: device, at: Time.start + 1)
        #expect(try await device.replica.read { try $0.identity.current() }.replica != before)
        try await settle([device], &log, at: Time.start + 2)
        #expect(writes(log) == ["a", "b", "c", "d", "e"])
    }

    @Test func `I1 a database that took a new name at a sync does not take another`() async throws {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await seal(["a"], on: device, at: Time.start)
        try await device.copyFiles(to: "backup", withGuard: false)
        try await seal(["b", "c", "d"], on: device, at: Time.start)
        try await device.settle(&log, at: Time.start)
        let before = try await device.replica.read { try $0.identity.current() }.replica
        try await device.restore(from: "backup", withGuard: false)
        try await device.settle(&log, at: Time.start + 1)
        let after = try await device.replica.read { try $0.identity.current() }.replica
        #expect(after != before)
        #expect(try await device.replica.read { try $0.maintenance.guardState() } == .together)
        try await seal(["e"], on: device, at: Time.start + 2)
        #expect(try await device.replica.read { try $0.identity.current() }.replica == after)
    }

    @Test func `a crash between the guard and the commit does not look like a copy`() async throws {
        let device = try await TestDevice.joined(1)
        try await seal(["a"], on: device, at: Time.start)
        let name = try await device.replica.read { try $0.identity.current() }.replica
        let localGuard = SealCounter(
            besides: device.folder.path + "/" + device.file,
            on: .system
        )
        try localGuard.write(try #require(localGuard.read()) + 1)
        try await seal(["b"], on: device, at: Time.start)
        #expect(try await device.replica.read { try $0.identity.current() }.replica == name)
        try localGuard.write(try #require(localGuard.read()) + 2)
        try await seal(["c"], on: device, at: Time.start)
        #expect(try await device.replica.read { try $0.identity.current() }.replica != name)
    }

    @Test func `I2 a whole folder that was put back is found by the server's head`() async throws {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await seal(["a"], on: device, at: Time.start)
        try await device.copyFiles(to: "backup", withGuard: true)
        try await seal(["b", "c"], on: device, at: Time.start)
        try await device.settle(&log, at: Time.start)
        let before = try await device.replica.read { try $0.identity.current() }.replica
        try await device.restore(from: "backup", withGuard: true)
        try await seal(["d"], on: device, at: Time.start + 5)
        #expect(
            try await device.replica.read { try $0.identity.current() }.replica == before,
            "the guard came along"
        )
        try await settle([device], &log, at: Time.start + 6)
        #expect(try await device.replica.read { try $0.identity.current() }.replica != before)
        #expect(writes(log) == ["a", "b", "c", "d"])
        #expect(try await device.value("name") == .text("d"))
    }

    @Test func `I2 a set that came back in the log is not one that this database sealed`()
        async throws
    {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await seal(["a"], on: device, at: Time.start)
        try await device.copyFiles(to: "backup", withGuard: true)
        try await seal(["b"], on: device, at: Time.start)
        try await device.settle(&log, at: Time.start)
        let name = try await device.replica.read { try $0.identity.current() }.replica
        let head = try #require(log.head(of: name))
        #expect(
            try await device.replica.read {
                try $0.queue.isOwnHead(head, by: name, in: TestDevice.space)
            }
        )
        try await device.restore(from: "backup", withGuard: true)
        try await device.pull(log, at: Time.start)
        #expect(
            try await !device.replica.read {
                try $0.queue.isOwnHead(head, by: name, in: TestDevice.space)
            }
        )
    }

    @Test func `of two sets with one name only the own one is known`() async throws {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let clone = try await device.clone(as: "clone")
        try await seal(["a"], on: device, at: Time.start)
        try await seal(["b"], on: clone, at: Time.start)
        try await device.settle(&log, at: Time.start)
        let name = try #require(log.entries.last).name
        let head = ReplicaHead(sequence: name.sequence, hash: name.hash)
        for (database, isKnown) in [(device, true), (clone, false)] {
            let isOwnHead = try await database.replica.read {
                try $0.queue.isOwnHead(head, by: name.replica, in: TestDevice.space)
            }
            let isOwn = try await database.replica.read { try $0.sets.find(name)?.isOwn }
            #expect(isOwnHead == isKnown)
            #expect(isOwn == (isKnown ? true : nil))
        }
    }

    @Test func `I7 of a set whose fsync was lost the server's word counts`() async throws {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.settle(&log, at: Time.start)
        try await device.copyFiles(to: "backup", withGuard: true)
        try await seal(["a"], on: device, at: Time.start)
        try await device.settle(&log, at: Time.start)
        try await device.restore(from: "backup", withGuard: true)
        try await settle([device], &log, at: Time.start)
        #expect(try await device.value("name") == .text("a"))
        try await seal(["b"], on: device, at: Time.start + 1)
        try await settle([device], &log, at: Time.start + 1)
        #expect(writes(log) == ["a", "b"])
    }

    @Test func `I3 of two live clones one takes a new name, and both data sets are kept`()
        async throws
    {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await seal(["a"], on: device, at: Time.start)
        let clone = try await device.clone(as: "clone")
        try await seal(["b", "c"], on: device, at: Time.start + 1)
        try await clone.set("notes", .text("d"), at: Time.start + 1)
        try await seal(["e"], on: clone, at: Time.start + 2)
        try await device.settle(&log, at: Time.start + 3)
        try await settle([clone, device], &log, at: Time.start + 4)
        let names = [
            try await device.replica.read { try $0.identity.current() }.replica,
            try await clone.replica.read { try $0.identity.current() }.replica,
        ]
        #expect(Set(names).count == 2)
        #expect(writes(log).isSuperset(of: ["b", "c", "d", "e"]))
        #expect(try await device.value("name") == .text("e"))
    }

    @Test func `I13 two live clones record at once, and every sample is kept`() async throws {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let recording = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.start(
                name: "both",
                sport: nil,
                in: TestDevice.space,
                at: now
            )
        }
        let clone = try await device.clone(as: "clone")
        var samples: [Sample] = []
        for (index, recorder) in [device, clone].enumerated() {
            var run = try await recorder.replica.write { [now = recorder.moment(Time.start)] in
                try $0.recordings.resume(
                    of: recording.track,
                    in: TestDevice.space,
                    at: now
                )
            }
            let own = RecordingTests.samples(count: 100, from: index * 1000)
            samples += own
            run = try await recorder.replica.write { [run, now = recorder.moment(Time.start)] in
                try $0.recordings.append(own, to: run, at: now)
            }
            try await recorder.replica.write { [run, now = recorder.moment(Time.start + 1)] in
                try $0.recordings.stop(run, at: now)
            }
        }
        try await settle([device, clone], &log, at: Time.start + 2)
        for recorder in [device, clone] {
            try await recorder.fetchChunks(from: log)
            let kept = try await recorder.replica.read {
                try $0.tracks.samples(of: recording.track, in: TestDevice.space)
            }
            #expect(kept == samples)
        }
    }

    @Test func `unsealed changes go on under a new name`() async throws {
        let device = try await TestDevice.joined(1)
        try await device.set("name", .text("a"), at: Time.start)
        try await device.replica.write { [now = device.wall(Time.start)] in
            try $0.overlay.renameReplica(at: now)
        }
        let name = try await device.replica.read { try $0.identity.current() }.replica
        let cell = try await device.replica
            .read { try $0.rows.cells("track", .id(Identifier(number: 1)), in: TestDevice.space) }[
                "name"
            ]
        #expect(cell?.stamp.replica == name)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await settle([device], &log, at: Time.start)
        #expect(writes(log) == ["a"])
    }
}

extension Value: ExpressibleByStringLiteral {
    init(stringLiteral value: String) {
        self = .text(Text(value))
    }
}
