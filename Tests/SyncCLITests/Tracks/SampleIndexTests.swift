import SyncCore
import Testing

@testable import SyncCLI

@Suite struct SampleIndexTests {
    /// Three chunks; a silence, two samples of one time, and one that is no point.
    private static let samples = Walk.samples(10_000) { index, sample in
        if index >= 5000 { sample.time?.milliseconds += 600_000 }
        if index == 6001 { sample.time?.milliseconds -= 1000 }
        if index == 7000 { sample[count: .latitude] = nil }
        if index == 8000 { sample[.latitude] = 80 }
        if index == 4095 { (sample[.latitude], sample[.longitude]) = (0, 0) }
    }

    private func index(in folder: ScratchFolder) async throws -> SampleIndex {
        var random = RandomSource.seeded(1)
        let path = Library.path(in: folder.path)
        try Replica.create(at: path, name: "boat", now: UnixTime(milliseconds: 0), using: &random)
        let replica = try Replica(path: path) {
            var random = RandomSource.seeded(2)
            return .random(using: &random)
        }
        let space = try await replica.read { try $0.spaces.own() }
        let track = try await replica.write {
            try $0.imports.insert(
                ImportedTrack(name: "Walk", sport: "", samples: Self.samples),
                as: ImportName(file: Digest(of: [1]), place: 0),
                into: space,
                now: Moment(UnixTime(milliseconds: Walk.start))
            )
        }.track
        let library = Library(
            folder: folder.path,
            replica: replica,
            space: space,
            own: space,
            presenters: Wake.presenters
        )
        let found = try #require(try await replica.read { try $0.tracks.find(track, in: space) })
        return SampleIndex(of: found, in: library)
    }

    private static func time(_ seconds: Double) -> UnixTime {
        UnixTime(milliseconds: Walk.start + Int64(seconds * 1000))
    }

    /// Where samples are that one must find, by going through all of them.
    private static func place(_ holds: (Sample, UnixTime) -> Bool) -> Int? {
        samples.firstIndex { sample in sample.time.map { holds(sample, $0) } ?? false }
    }

    @Test(
        arguments: [-5, 0, 1, 4094, 4096, 4999, 5300, 5600, 6600, 7600, 10_599, 10_600] as [Int64]
    )
    func `a sample is found by its time as if all were read`(seconds: Int64) async throws {
        let folder = try ScratchFolder()
        let index = try await index(in: folder)
        let time = Self.time(Double(seconds))
        let from = try await index.first(from: time)
        #expect(from?.index == Self.place { $1 >= time })
        let after = try await index.first(after: time)
        #expect(after?.index == Self.place { $1 > time })
        let point = try await index.firstPoint(from: time)
        #expect(point?.index == Self.place { $0.isPoint && $1 >= time })
        let begins = try await index.begins(before: time)
        #expect(begins == (seconds >= 0))
    }

    @Test(
        arguments: [
            (-9, 0), (0, 0), (4095.5, 4095), (4096, 4096), (5200, 4999), (5300, 5000), (6600, 6000),
            (7600, 6999),
            (99_999, 9999),
        ] as [(Double, Int)]
    )
    func `the nearest point is the first of those that are`(
        seconds: Double,
        place: Int
    ) async throws {
        let folder = try ScratchFolder()
        let index = try await index(in: folder)
        let range = try await index.point(at: Self.time(seconds))
        #expect(range?.start?.index == place && range?.end?.index == place + 1)
    }

    @Test func `a silence is found, and what lies between times`() async throws {
        let folder = try ScratchFolder()
        let index = try await index(in: folder)
        let cuts = try await index.points(afterGapsOf: 600_000)
        #expect(cuts.map(\.index) == [5000])
        let none = try await index.points(afterGapsOf: 700_000)
        #expect(none.isEmpty)
        let range = try await index.range(Self.time(10)...Self.time(19))
        #expect(range?.start?.index == 10 && range?.end?.index == 20)
        let silence = try await index.range(Self.time(5100)...Self.time(5200))
        #expect(silence == nil)
    }

    @Test func `a track begins at no fix that is flagged`() async throws {
        let folder = try ScratchFolder()
        let index = try await index(in: folder)
        let point = try await index.firstPoint(from: Self.time(8600))
        #expect(point?.index == 8001)
        // The last of a chunk.
        let next = try await index.firstPoint(from: Self.time(4095))
        #expect(next?.index == 4096)
    }
}
