@testable import SyncCore
import Harness
import Testing

@Suite struct CSVWriterTests {
    private static func lines(_ tracks: [ImportedTrack]) throws -> [[String]] {
        let text = try Document(tracks, as: .csv).text
        #expect(text.hasSuffix("\r\n"))
        return text.split(separator: "\r\n", omittingEmptySubsequences: false).dropLast()
            .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }

    @Test func `a line has every reading of a sample, with or without a position`() throws {
        var sample = Sample(time: UnixTime(milliseconds: 1_577_836_800_500))
        sample[count: .segment] = 2
        sample[.heel] = -12.5
        sample[count: Channel(number: 40)] = 7
        sample[count: Channel(number: 50)] = -8
        let lines = try Self.lines([ImportedTrack(samples: [sample, Sample()])])
        let cells = Dictionary(zip(lines[0], lines[1]), uniquingKeysWith: { first, _ in first })
        #expect(
            cells.filter { !$0.value.isEmpty } == [
                "time": "2020-01-01T00:00:00.500Z", "segment": "2", "heel_degrees": "-12.5",
                "other": "channel-40=7 channel-50=-8",
            ]
        )
        #expect(lines[0][..<4] == ["time", "segment", "latitude_degrees", "longitude_degrees"])
        #expect(lines.map(\.count) == [lines[0].count, lines[0].count, lines[0].count])
        #expect(lines[2].filter { !$0.isEmpty } == ["0"])
    }

    @Test func `of several tracks the first column tells which`() throws {
        let one = ImportedTrack(name: "=1+1", samples: RecordingTests.samples(count: 2))
        let lines = try Self.lines([one, one])
        #expect(lines.map { $0[0] } == ["track", "1", "1", "2", "2"])
        var named = ExportedTrack(one)
        named.id = "7zetdve5"
        let text = try Document([named, named], as: .csv).text
        #expect(text.contains("\r\n7zetdve5,"))
        #expect(!text.contains("=1+1"))
    }

    @Test(arguments: Rounds.seeds(5))
    func `no sample and no reading is lost`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let samples = RandomSamples.recorded(count: 200, using: &random)
        let lines = try Self.lines([ImportedTrack(samples: samples)])
        #expect(lines.count == 201)
        for (line, sample) in zip(lines.dropFirst(), samples) {
            let cells = line.filter { !$0.isEmpty }.count
            let hasSegment = sample[count: .segment] != nil
            #expect(cells == sample.readings.count + (hasSegment ? 0 : 1))
        }
    }
}
