@testable import SyncCore
import Harness
import Testing

/// Edits that several devices make without knowing of each other.
@Suite struct EditMergeTests {
    private static let space = TestDevice.space

    /// Two devices with the same track, apart, and then together again.
    private func apart(
        count: Int = 3000,
        _ work: (TestDevice, TestDevice, Identifier) async throws -> Void
    ) async throws -> (TestDevice, TestDevice) {
        let (one, two) = (try await TestDevice.joined(1), try await TestDevice.joined(2))
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let track = try await one.sail(count: count)
        _ = try await one.sail(count: 500, from: 5000)
        try await one.settle(&log, at: Time.start)
        try await two.settle(&log, at: Time.start + 1)
        try await two.fetchChunks(from: log)
        try await work(one, two, track)
        for device in [one, two, one, two] { try await device.settle(&log, at: Time.start + 100) }
        let lists = (try await one.tracks(), try await two.tracks())
        #expect(lists.0 == lists.1)
        try await one.expectSound()
        try await two.expectSound()
        return (one, two)
    }

    @Test func `T5 a trim here and another name there both hold`() async throws {
        let (one, _) = try await apart { one, two, track in
            let name = try await one.sampleName(1000, of: track)
            try await one.edit(Edit.trim(track, to: SampleRange(from: name)), at: Time.start + 5)
            try await two.edit([Edit(track, "name", .text("race"))], at: Time.start + 6)
        }
        let race = try #require(try await one.tracks().first { $0.name == "race" })
        #expect(race.sampleCount == 2000)
    }

    @Test func `T6 a split here and a hidden range across the cut there both hold`() async throws {
        let (one, _) = try await apart { one, two, track in
            _ = try await one.split(track, at: 1500, time: Time.start + 5)
            let ends = (
                try await two.sampleName(1400, of: track), try await two.sampleName(1700, of: track)
            )
            let range = SampleRange(from: ends.0, to: ends.1)
            let edits = try await two.replica.read {
                $0.editing.hide([range], of: track, isBridged: false)
            }
            try await two.edit(edits, at: Time.start + 6)
        }
        let counts = try await one.tracks().filter { $0.name != "sail" }.map(\.sampleCount)
        #expect(counts.sorted() == [1300, 1400])
    }

    @Test func `T7 of two splits at once one counts, and the other can be had`() async throws {
        var (heirs, source): ([Identifier], Identifier?) = ([], nil)
        let (one, _) = try await apart { one, two, track in
            heirs = try await one.split(track, at: 1000, time: Time.start + 5)
            _ = try await two.split(track, at: 2000, time: Time.start + 6)
            source = track
        }
        let counts = try await one.tracks().map(\.sampleCount).sorted()
        #expect(counts == [500, 1000, 2001])
        let hidden = try await one.replica.read { try $0.tracks.hidden(in: Self.space) }
        #expect(Set(hidden.filter { $0.standing == .alternative }.map(\.id)) == Set(heirs))
        let key = Key("track", .id(try #require(source)), TrackEdits.supersededBy)
        let conflicts = try await one.replica.read { try $0.conflicts.all(in: Self.space) }
        #expect(conflicts.map(\.winner.key) == [key])
        let earlier = try await one.replica.read {
            try $0.history.earlierValue(of: key, in: Self.space)
        }
        try await one.edit([Edit(key, earlier)], at: Time.start + 200)
        #expect(try await one.tracks().map(\.sampleCount).sorted() == [500, 1001, 2000])
        #expect(try await one.replica.read { try $0.conflicts.all(in: Self.space) }.isEmpty)
    }

    @Test func `T8 a join here and a source deleted there lose nothing`() async throws {
        let (one, _) = try await apart { one, two, track in
            let all = try await one.tracks().map(\.id)
            _ = try await one.join(all, time: Time.start + 5)
            try await two.set("deleted", .bool(true), of: track, at: Time.start + 6)
        }
        #expect(try await one.tracks().map(\.sampleCount) == [500])
        let trash = try await one.replica.read { try $0.tracks.all(in: Self.space, deleted: true) }
        #expect(trash.map(\.sampleCount) == [3000])
        try await one.set("deleted", .null, of: trash[0].id, at: Time.start + 200)
        #expect(try await one.tracks().map(\.sampleCount) == [3500])
    }

    @Test func `T14 a split against a join counts every metre once`() async throws {
        var total = 0.0
        let (one, _) = try await apart { one, two, track in
            total = try await one.metres()
            _ = try await one.split(track, at: 1000, time: Time.start + 5)
            _ = try await two.join(try await two.tracks().map(\.id), time: Time.start + 4)
        }
        #expect(abs(try await one.metres() - total) < 0.001)
        #expect(try await one.tracks().count == 3)
    }

    @Test(arguments: Rounds.seeds(3))
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
            _ = try await devices[0].sail(count: 300, from: start)
        }
        let total = try await devices[0].metres()
        var time = Time.start
        for device in devices {
            time += 1
            try await device.settle(&log, at: time)
            try await device.fetchChunks(from: log)
        }
        for _ in 0..<15 {
            time += 10
            let device = devices[Int.random(in: 0..<3, using: &random)]
            let shown = try await device.tracks().map(\.id).shuffled(using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let count = try await device.replica.read {
                    try $0.tracks.samples(of: shown[0], in: Self.space)
                }.count
                guard count > 2 else { continue }
                let index = Int.random(in: 1..<count - 1, using: &random)
                _ = try await device.split(shown[0], at: index, time: time)
            case 2 where shown.count > 1:
                _ = try await device.join(Array(shown.prefix(2)), time: time)
            case 3:
                _ = try await device.replica.write { [now = device.moment(time)] in
                    try $0.actions.undo(in: Self.space, at: now)
                }
            default: try await device.settle(&log, at: time)
            }
            #expect(abs(try await device.metres() - total) < 0.001, "seed \(seed)")
        }
        for device in devices + devices {
            time += 1
            try await device.settle(&log, at: time)
        }
        let lists = try await [devices[0].tracks(), devices[1].tracks(), devices[2].tracks()]
        #expect(lists[0] == lists[1] && lists[1] == lists[2], "seed \(seed)")
        for device in devices {
            #expect(abs(try await device.metres() - total) < 0.001, "seed \(seed)")
            try await device.expectSound(seed)
        }
    }
}
