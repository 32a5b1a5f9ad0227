@testable import SyncCore
import Harness
import Testing

@Suite struct FITReaderTests {
    /// 2020-12-31T00:00:00Z in FIT's time.
    private static let start: Int64 = 978_307_200
    private static let record: [FITFixture.Field] = [
        FITFixture.timestamp, FITFixture.latitude, FITFixture.longitude, FITFixture.altitude,
        FITFixture.heartRate,
    ]

    private static func values(_ second: Int64, _ degrees: Int64 = 1 << 30) -> [(Int64, Int)] {
        [(start + second, 4), (degrees, 4), (-degrees, 4), (2600, 2), (120, 1)]
    }

    private static func read(_ bytes: [UInt8]) throws -> [ImportedTrack] {
        try RecordingFormat.fit.read(bytes).tracks
    }

    private static func error(_ bytes: [UInt8]) -> FormatError? {
        do throws(FormatError) {
            _ = try RecordingFormat.fit.read(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [false, true])
    func `a record is read in both orders of bytes`(isBigEndian: Bool) throws {
        var fixture = FITFixture()
        fixture.isBigEndian = isBigEndian
        fixture.define(0, 20, Self.record)
        // An eighth of a turn.
        fixture.add(0, Self.values(5, 1 << 29))
        let track = try #require(try Self.read(fixture.file).first)
        let sample = try #require(Array(track.samples).first)
        #expect(sample.time?.iso8601 == "2020-12-31T00:00:05Z")
        #expect(sample[.latitude] == 45 && sample[.longitude] == -45)
        #expect(sample[.altitude] == 20 && sample[.heartRate] == 120)
        #expect(RecordingFormat(head: fixture.file) == .fit)
    }

    @Test func `what a field says to be missing is missing`() throws {
        var fixture = FITFixture()
        fixture.define(0, 20, Self.record + [(13, 1, 0x01), (7, 2, 0x84)])
        let none: Int64 = 0x7fff_ffff
        fixture.add(
            0,
            [(Self.start, 4), (none, 4), (none, 4), (0xffff, 2), (0xff, 1), (-4, 1), (0xffff, 2)]
        )
        let sample = try #require(
            try Self.read(fixture.file).first.map { Array($0.samples) }?.first
        )
        #expect(sample.readings.map(\.channel) == [.time, .temperature])
        #expect(sample[.temperature] == -4)
    }

    @Test func `a time in five bits counts on from the last whole one`() throws {
        var fixture = FITFixture()
        fixture.define(0, 20, [FITFixture.timestamp, FITFixture.heartRate])
        fixture.define(1, 20, [FITFixture.heartRate])
        fixture.add(0, [(Self.start, 4), (100, 1)])
        let low = UInt8(Self.start & 31)
        for second in [1, 2, 30, 40, 71] as [UInt8] {
            fixture.addCompressed(1, offset: (low &+ second) & 31, [(Int64(second), 1)])
        }
        let track = try #require(try Self.read(fixture.file).first)
        let first = try #require(Array(track.samples).first?.time?.milliseconds)
        let seconds = track.samples.map { (($0.time?.milliseconds ?? 0) - first) / 1000 }
        #expect(seconds == [0, 1, 2, 30, 40, 71])
    }

    @Test func `a developer's field stands for the one that it names`() throws {
        var fixture = FITFixture()
        fixture.define(
            0,
            206,
            [(0, 1, 2), (1, 1, 2), (2, 1, 2), (14, 2, 0x84), (15, 1, 2)]
        )
        // Developer 3, field 9, a float for the heart rate of records.
        fixture.add(0, [(3, 1), (9, 1), (0x88, 1), (20, 2), (3, 1)])
        fixture.define(1, 20, [FITFixture.timestamp], developer: [(9, 4, 3), (10, 2, 3)])
        fixture.add(1, [(Self.start, 4), (Int64(Float(151).bitPattern), 4), (7, 2)])
        let track = try #require(try Self.read(fixture.file).first)
        #expect(track.samples.map { $0[.heartRate] } == [151])
    }

    @Test func `a timer that starts again begins another part, and laps and sums are kept`() throws
    {
        var fixture = FITFixture()
        fixture.define(0, 20, Self.record)
        fixture.define(1, 21, [FITFixture.timestamp, (0, 1, 0), (1, 1, 0)])
        fixture.define(2, 19, [(2, 4, 0x86), (8, 4, 0x86), (9, 4, 0x86)])
        fixture.define(3, 18, [(5, 1, 0), (8, 4, 0x86), (9, 4, 0x86), (22, 2, 0x84)])
        fixture.define(4, 0, [(1, 2, 0x84), (2, 2, 0x84)])
        fixture.add(4, [(1, 2), (2697, 2)])
        for (second, event) in [(0, 0), (2, 4), (60, 0)] as [(Int64, Int64)] {
            fixture.add(1, [(Self.start + second, 4), (0, 1), (event, 1)])
            if event == 0 { fixture.add(0, Self.values(second)) }
        }
        fixture.add(2, [(Self.start, 4), (61_000, 4), (12_345, 4)])
        fixture.add(3, [(32, 1), (61_000, 4), (12_345, 4), (7, 2)])
        let track = try #require(try Self.read(fixture.file).first)
        #expect(track.samples.map { $0[count: .segment] } == [nil, 1])
        #expect(track.sport == "sailing" && track.device == "Garmin product 2697")
        let start = try #require(Array(track.samples).first?.time)
        #expect(track.laps == [.init(start: start, milliseconds: 61_000, centimetres: 12_345)])
        #expect(track.totals.centimetres == 12_345 && track.totals.ascentMetres == 7)
    }

    @Test func `files that are chained are tracks of their own, whatever the pieces`() throws {
        var fixture = FITFixture()
        fixture.define(0, 20, Self.record)
        fixture.add(0, Self.values(1))
        let bytes = fixture.file + fixture.file
        let whole = try Self.read(bytes)
        #expect(whole.map(\.samples.count) == [1, 1])
        for size in [1, 7, 30] {
            var reader = FITReader()
            for start in stride(from: 0, to: bytes.count, by: size) {
                try reader.feed(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(try reader.finish().tracks == whole)
        }
    }

    @Test func `what is damaged is told with its place, and what stands before it is saved`() throws
    {
        var fixture = FITFixture()
        fixture.define(0, 20, Self.record)
        for second in 0..<10 as Range<Int64> { fixture.add(0, Self.values(second)) }
        let file = fixture.file
        var flipped = file
        flipped[file.count - 3] ^= 1
        #expect(Self.error(flipped) == FormatError(byte: file.count - 2, reason: .badChecksum))
        let cut = Array(file.dropLast(20))
        #expect(Self.error(cut)?.reason == .truncated)
        var reader = FITReader()
        try reader.feed(cut)
        #expect(reader.salvage().tracks.map(\.samples.count) == [8])
        var unknown = FITFixture()
        unknown.add(5, [(1, 4)])
        #expect(Self.error(unknown.file) == FormatError(byte: 14, reason: .noDefinition(5)))
        #expect(Self.error([]) == FormatError(byte: 0, reason: .truncated))
        #expect(Self.error(Array("not at all a FIT file".utf8))?.reason == .notThisFormat)
    }

    @Test func `numbers wider than any field of ours are missing`() throws {
        var fixture = FITFixture()
        let wide: [FITFixture.Field] = [0, 1, 2, 6, 13, 31, 253].map { ($0, 8, 0x8e) }
        fixture.define(0, 20, wide + [FITFixture.heartRate])
        for value in [Int64.max - 1, .min, 1 << 62] {
            fixture.add(0, wide.map { _ in (value, 8) } + [(100, 1)])
        }
        let track = try #require(try Self.read(fixture.file).first)
        #expect(
            track.samples.map { $0.readings.map(\.channel) } == [
                [.heartRate], [.heartRate], [.heartRate],
            ]
        )
    }

    @Test(arguments: Rounds.seeds(5))
    func `whatever is changed, a file is read or refused`(seed: UInt64) {
        var fixture = FITFixture()
        fixture.define(0, 20, Self.record, developer: [(1, 3, 0)])
        for second in 0..<20 as Range<Int64> {
            fixture.add(0, Self.values(second) + [(7, 3)])
        }
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let mutant = Mutation.mutant(of: fixture.file, using: &random)
            var reader = FITReader()
            try? reader.feed(mutant)
            let saved = reader.salvage().tracks.reduce(0) { $0 + $1.samples.count }
            #expect(saved <= mutant.count)
        }
    }
}
