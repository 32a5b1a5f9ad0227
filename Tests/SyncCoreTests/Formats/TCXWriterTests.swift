internal import FoundationEssentials
@testable import SyncCore
import Harness
import Testing

@Suite struct TCXWriterTests {
    private static let channels: Set<Channel> = [
        .segment, .time, .latitude, .longitude, .altitude, .heartRate, .cadence, .speed, .power,
    ]

    /// What the format holds of samples: those with a time and with something that it knows.
    private static func held(_ samples: [Sample]) -> [Sample] {
        samples.compactMap { sample in
            let readings = sample.readings.filter { channels.contains($0.channel) }
            let isEmpty = readings.allSatisfy { $0.channel <= .time }
            return sample.time == nil || isEmpty ? nil : Sample(ascending: readings)
        }
    }

    /// Numbers segments as a reader does, which sees none that has no samples.
    private static func renumbered(_ samples: [Sample]) -> [Sample] {
        var (number, last) = (Int64(-1), Int64?.none)
        return samples.map { sample in
            var sample = sample
            if sample.segment != last { number += 1 }
            last = sample.segment
            sample[count: .segment] = number > 0 ? number : nil
            return sample
        }
    }

    @Test(arguments: Rounds.seeds(10))
    func `what is written is read back`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let samples = RandomSamples.recorded(count: 300, using: &random)
        var track = ImportedTrack(name: "<a>", sport: "gravel ride", notes: "b", samples: samples)
        _ = track.note(WrittenTime(iso8601: Array("2020-06-01T12:00:00-03:30".utf8)))
        track.zone = ZoneName("America/St_Johns")
        let document = try Document([track], as: .tcx)
        let read = try #require(RecordingFormat.tcx.read(document.bytes).tracks.first)
        #expect(Array(read.samples) == Self.renumbered(Self.held(samples)))
        #expect(document.text.contains("<Activity Sport=\"Biking\">"))
        #expect(document.text.contains("<Notes>&lt;a&gt;\nb</Notes>"))
        #expect([read.name, read.sport, read.notes] == [track.name, track.sport, track.notes])
        #expect((read.offset, read.zone) == (track.offset, track.zone))
        #expect(document.leftOutCount == 0)
    }

    @Test(arguments: [("a", ""), ("", "b\nc"), ("a", "a"), ("a", "a\na"), ("", "")])
    func `name and notes come back each as it was`(name: String, notes: String) throws {
        let samples = RecordingTests.samples(count: 3)
        let track = ImportedTrack(name: name, notes: notes, samples: samples)
        let document = try Document([track], as: .tcx)
        let read = try #require(RecordingFormat.tcx.read(document.bytes).tracks.first)
        #expect([read.name, read.notes, read.sport] == [name, notes, "Other"])
    }

    @Test func `laps, energy and device come back`() throws {
        var track = ImportedTrack(samples: RecordingTests.samples(count: 100))
        let start = try #require(track.samples.first?.time).milliseconds
        track.laps = [
            ImportedTrack.Lap(
                start: UnixTime(milliseconds: start),
                milliseconds: 40_000,
                centimetres: 12_345
            ),
            ImportedTrack.Lap(
                start: UnixTime(milliseconds: start + 50_000),
                milliseconds: 49_500,
                centimetres: 99
            ),
        ]
        track.totals.kilocalories = 321
        track.device = "Edge & Co"
        let document = try Document([track], as: .tcx)
        let read = try #require(RecordingFormat.tcx.read(document.bytes).tracks.first)
        #expect(read.laps == track.laps)
        #expect(read.totals.kilocalories == 321)
        #expect(read.device == "Edge & Co")
        #expect(Array(read.samples) == Array(track.samples))
        #expect(document.text.components(of: "<Track>") == 2)
    }

    @Test func `without laps there is one, as long as the samples`() throws {
        let samples = RecordingTests.samples(count: 61)
        let track = ImportedTrack(sport: "Trail running", samples: samples)
        let document = try Document([track], as: .tcx)
        let read = try #require(RecordingFormat.tcx.read(document.bytes).tracks.first)
        var distance = Distance(FixRule(sport: "Trail running"))
        for sample in samples { distance.add(sample) }
        #expect(read.laps.map(\.start) == [samples[0].time])
        #expect(read.laps.first?.milliseconds == 60_000)
        #expect(read.laps.first?.centimetres == Int64((distance.metres * 100).rounded()))
        #expect(read.sport == "Trail running")
        let end = Decimal.text(Int64((distance.metres * 100).rounded()), decimals: 2)
        #expect(document.text.components(of: "<DistanceMeters>\(end)</DistanceMeters>") == 2)
    }

    @Test func `a fix that is flagged makes no trackpoint and no lap longer`() throws {
        var samples = RecordingTests.samples(count: 60)
        let clean = samples
        // In the midst of the first lap, and as its last fix.
        for index in [10, 29] { samples[index][count: .latitude]? += 180_000 }
        var track = ImportedTrack(sport: "running", samples: PackedSamples(samples))
        let starts = [samples[0].time, samples[30].time].compactMap { $0 }
        track.laps = starts.map { ImportedTrack.Lap(start: $0) }
        let document = try Document([track], as: .tcx)
        let read = try #require(RecordingFormat.tcx.read(document.bytes).tracks.first)
        var whole = Distance(.usual)
        for sample in clean { whole.add(sample) }
        let laps = read.laps.compactMap(\.centimetres)
        #expect(laps.allSatisfy { $0 > 0 })
        #expect(abs(Double(laps.reduce(0, +)) / 100 - whole.metres) < 1)
        let distances = document.text.components(separatedBy: "<DistanceMeters>").dropFirst()
            .compactMap { $0.components(separatedBy: "<").first.flatMap(Double.init) }
        #expect(distances.allSatisfy { $0 <= whole.metres + 1 })
        #expect(distances.count == 62)
    }

    @Test func `points without a time are left out and counted`() throws {
        var samples = RecordingTests.samples(count: 5)
        samples[1].time = nil
        samples[3][count: .time] = .max
        let document = try Document(
            [ImportedTrack(samples: samples), ImportedTrack(samples: [samples[1]])],
            as: .tcx
        )
        let tracks = try RecordingFormat.tcx.read(document.bytes).tracks
        #expect(document.leftOutCount == 3)
        #expect(tracks.map { Array($0.samples) } == [[samples[0], samples[2], samples[4]]])
    }

    @Test func `a trackpoint is written as the schema orders it`() throws {
        var sample = Sample(time: UnixTime(milliseconds: 1_577_836_800_500))
        for (channel, value) in [
            (Channel.latitude, -0.00001), (.longitude, 5.25), (.altitude, -4), (.heartRate, 120),
            (.cadence, 300), (.power, 200), (.speed, 2.5), (.heel, 12),
        ] { sample[channel] = value }
        let text = try Document([ImportedTrack(samples: [sample])], as: .tcx).text
        #expect(
            text.contains(
                """
                <Trackpoint><Time>2020-01-01T00:00:00.500Z</Time><Position>\
                <LatitudeDegrees>-0.00001</LatitudeDegrees><LongitudeDegrees>5.25</LongitudeDegrees>\
                </Position><AltitudeMeters>-4</AltitudeMeters><DistanceMeters>0</DistanceMeters>\
                <HeartRateBpm><Value>120</Value></HeartRateBpm>\
                <Extensions><ns3:TPX><ns3:Speed>2.5</ns3:Speed><ns3:Watts>200</ns3:Watts>\
                </ns3:TPX></Extensions></Trackpoint>
                """
            )
        )
    }
}

extension String {
    /// How often a text stands in it.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
