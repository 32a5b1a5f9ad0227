@testable import SyncCore
import Testing

/// Marks of a track of which edits leave something out.
@Suite struct MarksTests {
    private static let space = TestDevice.space

    /// A track of 9,000 samples with marks: at a sample of each number, or half a sample after it.
    private func marked(
        _ device: TestDevice,
        at places: [Double]
    ) async throws -> (track: Identifier, names: [SampleName], marks: [Mark]) {
        let track = try await device.sail()
        let samples = try await device.replica.read {
            try $0.tracks.samples(of: track, in: Self.space)
        }
        let marks = try places.map { place in
            let here = try #require(samples[Int(place)].time?.milliseconds)
            let next = samples.indices.contains(Int(place) + 1) ? samples[Int(place) + 1].time : nil
            let step = (next?.milliseconds ?? here + 2) - here
            let time = here + Int64(Double(step) * (place - place.rounded(.down)))
            return Mark("\(place)", at: UnixTime(milliseconds: time), id: .random())
        }
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.marks.write(
                marks,
                on: track,
                in: Self.space,
                at: now
            )
        }
        var names: [SampleName] = []
        for index in [100, 5000, 5001, 6000, 7000, 8900] {
            names.append(try await device.sampleName(index, of: track))
        }
        return (track, names, marks)
    }

    private func leftOut(_ marks: [Mark], of track: Identifier, on device: TestDevice) async throws
        -> [String]
    {
        let fields = try await device.replica.read {
            try $0.marks.leftOut(marks, of: track, in: Self.space)
        }
        return marks.filter { fields.contains($0.field) }.map(\.text)
    }

    @Test func `a mark is left out with its part of the track`() async throws {
        let device = try await TestDevice.joined(1)
        let places = [
            0, 99, 99.5, 100, 4999.5, 5000, 5000.5, 5999, 5999.5, 6000, 6999.5, 7000, 8899, 8899.5,
            8999,
        ]
        let (track, names, marks) = try await marked(device, at: places)
        #expect(try await leftOut(marks, of: track, on: device) == [])
        try await device.edit(Edit.trim(track, to: SampleRange(from: names[0], to: names[5])))
        let ends = ["0.0", "99.0", "99.5", "8899.5", "8999.0"]
        #expect(try await leftOut(marks, of: track, on: device) == ends)
        // The way goes on over a fix that is hidden, and ends at a part.
        let fix = [SampleRange(from: names[1], to: names[2])]
        try await device.edit(
            try await device.replica.read { $0.editing.hide(fix, of: track, isBridged: true) }
        )
        #expect(try await leftOut(marks, of: track, on: device) == ends)
        let part = [SampleRange(from: names[3], to: names[4])]
        try await device.edit(
            try await device.replica.read { $0.editing.hide(part, of: track, isBridged: false) }
        )
        #expect(
            try await leftOut(marks, of: track, on: device)
                == ["0.0", "99.0", "99.5", "5999.5", "6000.0", "6999.5", "8899.5", "8999.0"]
        )
    }

    @Test func `a wrong time that is cut off takes no marks with it`() async throws {
        let device = try await TestDevice.joined(1)
        var samples = RecordingTests.samples(count: 100, from: 0)
        let times = samples.compactMap(\.time)
        samples[0].time = UnixTime(milliseconds: 4_000_000_000_000)
        let name = ImportName(file: Digest(of: [1]), place: 0)
        _ = try await device.replica.write { [now = device.moment(Time.start), samples] in
            try $0.imports.insert(
                ImportedTrack(samples: PackedSamples(samples)),
                as: name,
                into: Self.space,
                now: now
            )
        }
        let marks = [50, 95].map { Mark("\($0)", at: times[$0], id: .random()) }
        let first = try await device.sampleName(1, of: name.track)
        let end = try await device.sampleName(90, of: name.track)
        try await device.edit(Edit.trim(name.track, to: SampleRange(from: first, to: end)))
        #expect(try await leftOut(marks, of: name.track, on: device) == ["95"])
    }

    @Test func `a track of a split has the marks of its part, less what was hidden of it`()
        async throws
    {
        let device = try await TestDevice.joined(1)
        let (track, names, _) = try await marked(device, at: [50, 6500, 7500])
        let part = [SampleRange(from: names[3], to: names[4])]
        try await device.edit(
            try await device.replica.read { $0.editing.hide(part, of: track, isBridged: false) }
        )
        let parts = try await device.split(track, at: 5500)
        var told: [[String]] = []
        for part in parts {
            let marks = try await device.replica.read { try $0.marks.all(of: part, in: Self.space) }
            told += [marks.map(\.text), try await leftOut(marks, of: part, on: device)]
        }
        #expect(told == [["50.0"], [], ["6500.0", "7500.0"], ["6500.0"]])
    }
}

extension Identifier {
    fileprivate static func random() -> Identifier { Replica.randomIdentifier() }
}
