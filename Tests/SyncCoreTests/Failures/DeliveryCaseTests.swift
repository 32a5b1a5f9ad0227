@testable import SyncCore
import Testing

/// Parts before their whole, pages cut anywhere, readers in between.
@Suite struct DeliveryCaseTests {
    private let track = Identifier(number: 77)

    @Test func `M10 points of a track that nobody knows wait for it, and are used`() async throws {
        var fleet = try await Fleet(2)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        let samples = RecordingTests.samples(count: 10)
        try await two.replica.writePoints(samples, of: track, at: two.moment(Time.start + 1))
        try await fleet.settle(at: Time.start + 2)
        try await one.fetchChunks(from: fleet.log)
        #expect(
            try await one.replica.read { try $0.tracks.samples(of: track, in: TestDevice.space) }
                == Samples(samples)
        )
        try await one.set("name", .text("known at last"), of: track, at: Time.start + 3)
        try await fleet.settle(at: Time.start + 4)
        for device in [one, two] {
            let listed = try await device.replica.read {
                try $0.tracks.find(track, in: TestDevice.space)
            }
            #expect(listed?.name == "known at last")
            #expect(listed?.sampleCount == 10 && listed?.missingChunkCount == 0)
        }
    }

    @Test func `M11 fields written together are seen together while pages arrive`() async throws {
        var fleet = try await Fleet(2)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        let rounds: Int64 = 60
        for round in 1...rounds {
            let edits = ["left", "right"].map {
                Edit(Key("pair", .text($0), "value"), .integer(round))
            }
            let now = Time.start + round
            try await one.replica.write { [now = one.moment(now)] in
                try $0.rows.write(edits, in: TestDevice.space, at: now)
            }
            try await one.seal(at: now)
        }
        try await one.settle(&fleet.log, at: Time.start + Time.second)
        // Another program on the same file.
        let reader = try Replica(path: two.folder.path + "/" + two.file)
        let space = TestDevice.space
        async let seen = {
            var seen: [Set<Value?>] = []
            while seen.last != [.integer(rounds)], !Task.isCancelled {
                let rows = try await reader.read { try $0.rows.list("pair", in: space) }
                seen.append(Set(rows.map { $0.cells["value"]?.value }))
            }
            return seen
        }()
        try await two.pull(fleet.log, at: Time.start + Time.second, .init(pageLimit: 1))
        #expect(try await seen.allSatisfy { $0.count <= 1 })
    }

    @Test(arguments: 1...7)
    func `M13 pages cut anywhere and applied twice give the same state`(pageLimit: Int) async throws
    {
        var fleet = try await Fleet(2)
        var random = SplitMix64(seed: UInt64(pageLimit))
        for step in 1...24 as ClosedRange<Int64> {
            let device = fleet.devices[Int(step % 2)]
            let fields: [Text] = ["name", "notes", "deleted"]
            try await device.set(
                fields.randomElement(using: &random) ?? "name",
                .integer(Int64.random(in: 0...1, using: &random)),
                at: Time.start + step / 4
            )
            if Bool.random(using: &random) {
                try await device.sync(&fleet.log, at: Time.start + step, .init(skipsPull: true))
            }
        }
        try await fleet.settle(at: Time.start + Time.second)
        let fresh = try await fleet.newcomer()
        let trouble = TestDevice.Trouble(pageLimit: pageLimit, repeatsPages: true)
        try await fresh.pull(fleet.log, at: Time.start + Time.second, trouble)
        #expect(try await fresh.cells().ofTracks == fleet.log.cells().ofTracks)
        #expect(try await fresh.summary.fingerprint == fleet.log.fingerprint())
        #expect(try await fresh.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `T3 two devices that record one outing have two tracks`() async throws {
        var fleet = try await Fleet(2)
        let samples = RecordingTests.samples(count: 50)
        var tracks: Set<Identifier> = []
        for device in fleet.devices {
            let now = device.moment(Time.start + 1)
            var recording = try await device.replica.write {
                try $0.recordings.start(
                    name: "regatta",
                    sport: "sailing",
                    in: TestDevice.space,
                    at: now
                )
            }
            recording = try await device.replica.write { [recording] in
                try $0.recordings.append(samples, to: recording, at: now)
            }
            try await device.replica.write { [recording] in
                try $0.recordings.stop(recording, at: now)
            }
            tracks.insert(recording.track)
        }
        try await fleet.settle(at: Time.start + Time.hour)
        for device in fleet.devices {
            try await device.fetchChunks(from: fleet.log)
            let listed = try await device.replica.read { try $0.tracks.all(in: TestDevice.space) }
            #expect(Set(listed.map(\.id)) == tracks && listed.count == 2)
            #expect(listed.allSatisfy { $0.pointCount == 50 && $0.distanceMetres > 0 })
        }
    }

    @Test func `T11 others see a recording whose device died as interrupted`() async throws {
        var fleet = try await Fleet(2)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        var recording = try await one.replica.write { [now = one.moment(Time.start + 1)] in
            try $0.recordings.start(
                name: "storm",
                sport: nil,
                in: TestDevice.space,
                at: now
            )
        }
        let samples = RecordingTests.samples(count: 20)
        recording = try await one.replica.write { [recording, now = one.moment(Time.start + 1)] in
            try $0.recordings.append(samples, to: recording, at: now)
        }
        try await fleet.settle(at: Time.start + 2)
        let live = try await two.replica.read { [recording] in
            try $0.tracks.find(recording.track, in: TestDevice.space)
        }
        #expect(live?.status == .recording)
        try one.restart()
        try await one.packInterrupted(at: Time.start + Time.hour)
        try await fleet.settle(at: Time.start + Time.hour)
        try await two.fetchChunks(from: fleet.log)
        let found = try await two.replica.read { [recording] in
            try $0.tracks.find(recording.track, in: TestDevice.space)
        }
        #expect(found?.status == .interrupted && found?.sampleCount == 20)
        let known = try await two.replica.read { [recording] in
            try $0.tracks.samples(of: recording.track, in: TestDevice.space)
        }
        #expect(known == samples)
    }
}

extension Replica {
    /// Writes points of a track, and nothing of the track itself.
    fileprivate func writePoints(
        _ samples: [Sample],
        of track: Identifier,
        at now: Moment
    ) throws {
        try write { parts in
            let place = RowAddress(
                space: try parts.spaces.number(ofSpace: TestDevice.space),
                id: track
            )
            let first = SampleName(stream: 5, index: 0)
            let chunks = PackedChunk.pack(samples)
            let edits = try parts.points.insert(chunks, from: first, into: place, by: .usual) {
                .recorder(sampleCount: $0)
            }
            try parts.rows.apply(edits, in: place.space, at: now)
        }
    }
}
