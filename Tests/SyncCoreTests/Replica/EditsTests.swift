@testable import SyncCore
import Testing

/// Edits of tracks on devices: what they show, what they add up to, and undoing them.
@Suite struct EditsTests {
    private static let space = TestDevice.space

    /// A track of 9,000 samples, in three chunks.
    private func recorded(
        on device: TestDevice,
        count: Int = 9000,
        from first: Int = 0
    ) async throws -> Recording {
        var recording = try await device.replica.startRecording(
            name: "sail",
            sport: "sailing",
            in: Self.space,
            at: device.wall(Time.start)
        )
        for start in stride(from: 0, to: count, by: 1000) {
            let samples = RecordingTests.samples(
                count: min(1000, count - start),
                from: first + start
            )
            try await device.replica.append(samples, to: &recording, at: device.wall(Time.start))
        }
        return recording
    }

    private func stopped(
        on device: TestDevice,
        count: Int = 9000,
        from first: Int = 0
    ) async throws -> Identifier {
        let recording = try await recorded(on: device, count: count, from: first)
        try await device.replica.stopRecording(recording, at: device.wall(Time.start))
        return recording.track
    }

    private func tracks(_ device: TestDevice) async throws -> [Track] {
        try await device.replica.tracks(in: Self.space)
    }

    private func metres(_ device: TestDevice) async throws -> Double {
        try await tracks(device).reduce(0) { $0 + $1.distanceMetres }
    }

    /// The distance of the samples as who reads them sees them.
    private func readMetres(_ track: Track, on device: TestDevice) async throws -> Double {
        var distance = Distance(FixRule(sport: track.sport))
        for sample in try await device.replica.samples(of: track.id, in: Self.space) {
            distance.add(sample)
        }
        return distance.metres
    }

    /// That of every track is what its samples give, and the list is what the cells say.
    private func expectSound(_ device: TestDevice, _ seed: UInt64 = 0) async throws {
        for track in try await tracks(device) {
            let read = try await readMetres(track, on: device)
            #expect(abs(track.distanceMetres - read) < 0.001, "seed \(seed)")
            let count = try await device.replica.samples(of: track.id, in: Self.space).count
            #expect(track.sampleCount == count, "seed \(seed)")
        }
        let faults = try await device.replica.verify().faults
        #expect(faults == [], "seed \(seed)")
    }

    private func write(
        _ edits: [Edit],
        on device: TestDevice,
        at time: Int64 = Time.start
    ) async throws {
        try await device.replica.write(edits, as: "test", in: Self.space, at: device.wall(time))
    }

    private func name(_ index: Int, of track: Identifier, on device: TestDevice) async throws
        -> SampleName
    {
        try await device.replica.perform { replica in
            var names: [SampleName] = []
            try replica.forEachSample(of: track, in: Self.space) { names.append($0.name) }
            return names[index]
        }
    }

    private func split(
        _ track: Identifier,
        at index: Int,
        on device: TestDevice,
        time: Int64 = Time.start
    ) async throws -> [Identifier] {
        let cut = try await name(index, of: track, on: device)
        let split = try await device.replica.split(track, before: [cut], in: Self.space)
        try await write(split.edits, on: device, at: time)
        return split.tracks
    }

    private func join(
        _ tracks: [Identifier],
        on device: TestDevice,
        time: Int64 = Time.start
    ) async throws -> Identifier {
        let join = try await device.replica.join(tracks, in: Self.space)
        try await write(join.edits, on: device, at: time)
        return join.track
    }

    @Test func `a trim and hidden ranges leave samples out, and undoing brings them back`()
        async throws
    {
        let device = try await TestDevice.joined(1)
        let track = try await stopped(on: device)
        let before = try await tracks(device)
        let samples = try await device.replica.samples(of: track, in: Self.space)
        var names: [SampleName] = []
        for index in [100, 5000, 5001, 6000, 7000, 8900] {
            names.append(try await name(index, of: track, on: device))
        }
        let range = SampleRange(from: names[0], to: names[5])
        try await write(Edit.trim(track, to: range), on: device)
        let trimmed = try #require(try await tracks(device).first)
        #expect(trimmed.sampleCount == 8800)
        #expect(trimmed.start?.time == samples[100].time && trimmed.finish == samples[8899].time)
        try await expectSound(device)
        let point = [SampleRange(from: names[1], to: names[2])]
        let point2 = await device.replica.hide(point, of: track, isBridged: true)
        try await write(point2, on: device)
        let bridged = try #require(try await tracks(device).first)
        #expect(bridged.sampleCount == 8799)
        #expect(abs(bridged.distanceMetres - trimmed.distanceMetres) < 2)
        let gap = [SampleRange(from: names[3], to: names[4])]
        let gaps = await device.replica.hide(gap, of: track, isBridged: false)
        try await write(gaps, on: device)
        let cut = try #require(try await tracks(device).first)
        #expect(cut.sampleCount == 7799)
        #expect(cut.distanceMetres < bridged.distanceMetres * 0.9)
        let left = try await device.replica.samples(of: track, in: Self.space)
        #expect(Set(left.map { $0[count: .segment] ?? 0 }) == [0, 1])
        try await expectSound(device)
        for expected in [bridged, trimmed, before[0]] {
            let undoing = try await device.replica.undo(in: Self.space, at: device.wall(Time.start))
            #expect(undoing?.overtaken == 0)
            #expect(try await tracks(device) == [expected])
        }
        #expect(try await device.replica.undo(in: Self.space, at: device.wall(Time.start)) == nil)
        _ = try await device.replica.redo(in: Self.space, at: device.wall(Time.start))
        #expect(try await tracks(device) == [trimmed])
    }

    @Test func `a split and a join add up to what was there, and can be undone`() async throws {
        let device = try await TestDevice.joined(1)
        let track = try await stopped(on: device)
        let before = try await tracks(device)
        let total = try await metres(device)
        let parts = try await split(track, at: 4500, on: device)
        #expect(Set(try await tracks(device).map(\.id)) == Set(parts))
        #expect(try await tracks(device).map(\.name) == ["sail (2)", "sail (1)"])
        #expect(abs(try await metres(device) - total) < 0.001)
        let joined = try await join(parts, on: device)
        #expect(try await tracks(device).map(\.id) == [joined])
        #expect(abs(try await metres(device) - total) < 0.001)
        try await expectSound(device)
        for _ in 0..<2 {
            _ = try await device.replica.undo(in: Self.space, at: device.wall(Time.start))
        }
        #expect(try await tracks(device) == before)
    }

    @Test func `the way over a gap is nobody's where a split says so`() async throws {
        let device = try await TestDevice.joined(1)
        let track = try await stopped(on: device, count: 100)
        let cut = try await name(50, of: track, on: device)
        let split = try await device.replica.split(
            track,
            before: [cut],
            endsWays: true,
            in: Self.space
        )
        let total = try await metres(device)
        try await write(split.edits, on: device)
        #expect(try await tracks(device).map(\.sampleCount) == [50, 50])
        #expect(try await metres(device) < total - 1)
        try await expectSound(device)
    }

    @Test func `T9 points that come after a split are the last part's`() async throws {
        let device = try await TestDevice.joined(1)
        var recording = try await recorded(on: device, count: 5000)
        let parts = try await split(recording.track, at: 1000, on: device)
        let late = RecordingTests.samples(count: 3000, from: 5000)
        try await device.replica.append(late, to: &recording, at: device.wall(Time.start))
        let counts = try await tracks(device).map { [$0.id: $0.sampleCount] }
        #expect(counts == [[parts[1]: 7000], [parts[0]: 1001]])
        #expect(try await tracks(device).map(\.status) == [.recording, .stopped])
        try await device.replica.stopRecording(recording, at: device.wall(Time.start))
        #expect(try await tracks(device).map(\.sampleCount) == [7000, 1001])
        #expect(try await tracks(device).map(\.status) == [.stopped, .stopped])
        try await expectSound(device)
    }

    @Test func `a join keeps what is not in the trash`() async throws {
        let device = try await TestDevice.joined(1)
        let one = try await stopped(on: device, count: 3000)
        let two = try await stopped(on: device, count: 2000, from: 4000)
        let joined = try await join([one, two], on: device)
        let whole = try await metres(device)
        try await device.set("deleted", .bool(true), of: two, at: Time.start + 1)
        #expect(try await tracks(device).map(\.id) == [joined])
        #expect(try await tracks(device)[0].sampleCount == 3000)
        let trash = try await device.replica.tracks(in: Self.space, deleted: true)
        #expect(trash.map(\.id) == [two])
        #expect(abs(try await metres(device) + trash[0].distanceMetres - whole) < 0.001)
        try await device.set("deleted", .bool(true), of: one, at: Time.start + 2)
        #expect(try await tracks(device).isEmpty)
        try await device.set("deleted", .null, of: one, at: Time.start + 3)
        try await device.set("deleted", .null, of: two, at: Time.start + 3)
        #expect(abs(try await metres(device) - whole) < 0.001)
    }

    /// Two devices with the same track, apart, and then together again.
    private func apart(
        count: Int = 3000,
        _ work: (TestDevice, TestDevice, Identifier) async throws -> Void
    ) async throws -> (TestDevice, TestDevice) {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let track = try await stopped(on: one, count: count)
        _ = try await stopped(on: one, count: 500, from: 5000)
        try await one.settle(&log, at: Time.start)
        try await two.settle(&log, at: Time.start + 1)
        try await two.fetchChunks(from: log)
        try await work(one, two, track)
        for device in [one, two, one, two] { try await device.settle(&log, at: Time.start + 100) }
        let lists = (try await tracks(one), try await tracks(two))
        #expect(lists.0 == lists.1)
        try await expectSound(one)
        try await expectSound(two)
        return (one, two)
    }

    @Test func `T5 a trim here and another name there both hold`() async throws {
        let (one, _) = try await apart { one, two, track in
            let name = try await name(1000, of: track, on: one)
            try await write(Edit.trim(track, to: SampleRange(from: name)), on: one, at: Time.start + 5)
            try await write([Edit(track, "name", .text("race"))], on: two, at: Time.start + 6)
        }
        let race = try #require(try await tracks(one).first { $0.name == "race" })
        #expect(race.sampleCount == 2000)
    }

    @Test func `T6 a split here and a hidden range across the cut there both hold`() async throws {
        let (one, _) = try await apart { one, two, track in
            _ = try await split(track, at: 1500, on: one, time: Time.start + 5)
            let ends = (
                try await name(1400, of: track, on: two), try await name(1700, of: track, on: two)
            )
            let range = SampleRange(from: ends.0, to: ends.1)
            let edits = await two.replica.hide([range], of: track, isBridged: false)
            try await write(edits, on: two, at: Time.start + 6)
        }
        let counts = try await tracks(one).filter { $0.name != "sail" }.map(\.sampleCount)
        #expect(counts.sorted() == [1300, 1400])
    }

    @Test func `T7 of two splits at once one counts, and the other can be had`() async throws {
        var (heirs, source): ([Identifier], Identifier?) = ([], nil)
        let (one, _) = try await apart { one, two, track in
            heirs = try await split(track, at: 1000, on: one, time: Time.start + 5)
            _ = try await split(track, at: 2000, on: two, time: Time.start + 6)
            source = track
        }
        let counts = try await tracks(one).map(\.sampleCount).sorted()
        #expect(counts == [500, 1000, 2001])
        let hidden = try await one.replica.hiddenTracks(in: Self.space)
        #expect(Set(hidden.filter { $0.standing == .alternative }.map(\.id)) == Set(heirs))
        let key = Key("track", .id(try #require(source)), TrackEdits.supersededBy)
        let conflicts = try await one.replica.conflicts(in: Self.space)
        #expect(conflicts.map(\.winner.key) == [key])
        let earlier = try await one.replica.earlierValue(of: key, in: Self.space)
        try await write([Edit(key, earlier)], on: one, at: Time.start + 200)
        #expect(try await tracks(one).map(\.sampleCount).sorted() == [500, 1001, 2000])
        #expect(try await one.replica.conflicts(in: Self.space).isEmpty)
    }

    @Test func `T8 a join here and a source deleted there lose nothing`() async throws {
        let (one, _) = try await apart { one, two, track in
            let all = try await tracks(one).map(\.id)
            _ = try await join(all, on: one, time: Time.start + 5)
            try await two.set("deleted", .bool(true), of: track, at: Time.start + 6)
        }
        #expect(try await tracks(one).map(\.sampleCount) == [500])
        let trash = try await one.replica.tracks(in: Self.space, deleted: true)
        #expect(trash.map(\.sampleCount) == [3000])
        try await one.set("deleted", .null, of: trash[0].id, at: Time.start + 200)
        #expect(try await tracks(one).map(\.sampleCount) == [3500])
    }

    @Test func `T14 a split against a join counts every metre once`() async throws {
        var total = 0.0
        let (one, _) = try await apart { one, two, track in
            total = try await metres(one)
            _ = try await split(track, at: 1000, on: one, time: Time.start + 5)
            _ = try await join(try await tracks(two).map(\.id), on: two, time: Time.start + 4)
        }
        #expect(abs(try await metres(one) - total) < 0.001)
        #expect(try await tracks(one).count == 3)
    }

    @Test func `what is written over since is not undone`() async throws {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let track = try await stopped(on: one, count: 100)
        try await write(
            [Edit(track, "name", .text("mine")), Edit(track, "gear", .text("jib"))],
            on: one
        )
        try await one.settle(&log, at: Time.start)
        try await two.settle(&log, at: Time.start + 1)
        try await write([Edit(track, "name", .text("theirs"))], on: two, at: Time.start + 2)
        try await two.settle(&log, at: Time.start + 3)
        try await one.settle(&log, at: Time.start + 4)
        let undoing = try await one.replica.undo(in: Self.space, at: one.wall(Time.start + 5))
        #expect(undoing?.overtaken == 1)
        let cells = try await one.replica.cells("track", .id(track), in: Self.space)
        #expect(cells["name"]?.value.text == "theirs" && cells["gear"]?.value == .null)
        let key = Key("track", .id(track), "name")
        #expect(try await one.replica.earlierValue(of: key, in: Self.space) == .text("mine"))
    }

    @Test func `edits that cannot be are refused`() async throws {
        let device = try await TestDevice.joined(1)
        let track = try await stopped(on: device, count: 100)
        let first = try await name(0, of: track, on: device)
        let stranger = SampleName(stream: 5, index: 50)
        for (cuts, error) in [
            ([], TrackEditError.emptyPart), ([first], .emptyPart), ([stranger], .unknownSample),
        ] {
            await #expect(throws: error) {
                _ = try await device.replica.split(track, before: cuts, in: Self.space)
            }
        }
        await #expect(throws: TrackEditError.nothingToJoin) {
            _ = try await device.replica.join([track, track], in: Self.space)
        }
        let parts = try await split(track, at: 50, on: device)
        await #expect(throws: TrackEditError.notShown(track)) {
            _ = try await device.replica.join([track, parts[0]], in: Self.space)
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `T14 splits and joins of several devices count no distance twice and lose none`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        var devices: [TestDevice] = []
        for number in 1...3 as ClosedRange<UInt64> {
            devices.append(try await TestDevice.joined(number))
        }
        var log = LogDouble(keys: TestDevice.spaceKeys)
        for start in [0, 500] {
            _ = try await stopped(on: devices[0], count: 300, from: start)
        }
        let total = try await metres(devices[0])
        var time = Time.start
        for device in devices {
            time += 1
            try await device.settle(&log, at: time)
            try await device.fetchChunks(from: log)
        }
        for _ in 0..<15 {
            time += 10
            let device = devices[Int.random(in: 0..<3, using: &random)]
            let shown = try await tracks(device).map(\.id).shuffled(using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let count = try await device.replica.samples(of: shown[0], in: Self.space).count
                guard count > 2 else { continue }
                let index = Int.random(in: 1..<count - 1, using: &random)
                _ = try await split(shown[0], at: index, on: device, time: time)
            case 2 where shown.count > 1:
                _ = try await join(Array(shown.prefix(2)), on: device, time: time)
            case 3: _ = try await device.replica.undo(in: Self.space, at: device.wall(time))
            default: try await device.settle(&log, at: time)
            }
            #expect(abs(try await metres(device) - total) < 0.001, "seed \(seed)")
        }
        for device in devices + devices {
            time += 1
            try await device.settle(&log, at: time)
        }
        let lists = try await [tracks(devices[0]), tracks(devices[1]), tracks(devices[2])]
        #expect(lists[0] == lists[1] && lists[1] == lists[2], "seed \(seed)")
        for device in devices {
            #expect(abs(try await metres(device) - total) < 0.001, "seed \(seed)")
            try await expectSound(device, seed)
        }
    }
}
