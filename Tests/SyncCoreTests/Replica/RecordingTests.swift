@testable import SyncCore
import Testing

/// Recording, chunks and their way to another replica.
@Suite struct RecordingTests {
    static func samples(count: Int, from first: Int = 0) -> [Sample] {
        (first..<first + count).map { index in
            var sample = Sample(time: UnixTime(milliseconds: Time.start + Int64(index) * 1000))
            sample[count: .latitude] = 545_000_000 + Int64(index) * 97
            sample[count: .longitude] = 102_000_000 - Int64(index % 50) * 31
            if index % 7 == 0 { sample[count: .heartRate] = Int64(100 + index % 30) }
            return sample
        }
    }

    private func record(
        _ count: Int,
        on device: TestDevice
    ) async throws -> Recording {
        var recording = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.start(
                name: "sail",
                sport: "sailing",
                in: TestDevice.space,
                at: now
            )
        }
        for start in stride(from: 0, to: count, by: 1000) {
            recording = try await device.replica.write {
                [recording, now = device.moment(Time.start)] in
                try $0.recordings.append(
                    Self.samples(count: min(1000, count - start), from: start),
                    to: recording,
                    at: now
                )
            }
        }
        return recording
    }

    private func chunkFields(_ device: TestDevice, _ track: Identifier) async throws -> [SampleName]
    {
        try await device.replica.read {
            try $0.rows.cells("points", .id(track), in: TestDevice.space)
        }.keys
            .compactMap(SampleName.init(field:)).sorted()
    }

    @Test func `a track begins with what the clocks showed, else with the first sample`()
        async throws
    {
        let device = try await TestDevice.joined(1)
        let start = TrackStart(
            UnixTime(milliseconds: Time.start - 1),
            offset: UTCOffset(minutes: -210),
            zone: ZoneName("America/St_Johns")
        )
        var recording = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.start(
                name: nil,
                sport: nil,
                start: start,
                in: TestDevice.space,
                at: now
            )
        }
        let now = device.moment(Time.start)
        recording = try await device.replica.write { [recording] in
            try $0.recordings.append(Self.samples(count: 2), to: recording, at: now)
        }
        let id = recording.track
        #expect(try await device.value("start", of: id) == start.value)
        #expect(
            try await device.replica.read { try $0.tracks.find(id, in: TestDevice.space) }?.start
                == start
        )
        try await device.replica.write { [recording] in try $0.recordings.stop(recording, at: now) }
        #expect(
            try await device.replica.read { try $0.tracks.find(id, in: TestDevice.space) }?.start
                == start
        )
        try await device.set("start", .text("soon"), of: id, at: Time.start)
        let first = TrackStart(UnixTime(milliseconds: Time.start))
        #expect(
            try await device.replica.read { try $0.tracks.find(id, in: TestDevice.space) }?.start
                == first
        )
    }

    @Test func `samples wait in the tail until 4,096 are there`() async throws {
        let device = try await TestDevice.joined(1)
        let recording = try await record(4000, on: device)
        #expect(try await chunkFields(device, recording.track).isEmpty)
        #expect(
            try await device.replica.read { try $0.maintenance.status() }.unpackedSamples == 4000
        )
        var next = recording
        next = try await device.replica.write { [next, now = device.moment(Time.start)] in
            try $0.recordings.append(
                Self.samples(count: 96, from: 4000),
                to: next,
                at: now
            )
        }
        #expect(try await device.replica.read { try $0.maintenance.status() }.unpackedSamples == 0)
        #expect(try await chunkFields(device, recording.track).map(\.index) == [0])
        let track = try await device.replica.read {
            try $0.tracks.find(recording.track, in: TestDevice.space)
        }
        #expect(track?.sampleCount == 4096)
        #expect(track?.status == .recording)
    }

    @Test func `a part of other samples is appended from the place where the recording is`()
        async throws
    {
        let device = try await TestDevice.joined(1)
        let recording = try await record(10, on: device)
        let samples = Samples(Self.samples(count: 200, from: 10))
        let end = try await device.replica.write { [now = device.moment(Time.start)] in
            let next = try $0.recordings.append(samples[0..<90], to: recording, at: now)
            return try $0.recordings.append(samples[90..<200], to: next, at: now)
        }
        #expect(end.next.index == 210)
        let recorded = try await device.replica.read {
            try $0.tracks.samples(of: recording.track, in: TestDevice.space)
        }
        #expect(Array(recorded) == Self.samples(count: 210))
    }

    @Test func `T1 what was appended is there after a crash`() async throws {
        let device = try await TestDevice.joined(1)
        let recording = try await record(1500, on: device)
        try device.restart()
        let samples = try await device.replica.read {
            try $0.tracks.samples(of: recording.track, in: TestDevice.space)
        }
        #expect(samples == Self.samples(count: 1500))
        let track = try await device.replica.read {
            try $0.tracks.find(recording.track, in: TestDevice.space)
        }
        #expect(track?.sampleCount == 1500)
        #expect(track?.pointCount == 1500)
    }

    @Test func `a recording goes on when its device joins meanwhile`() async throws {
        let device = try TestDevice(1)
        var recording = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.start(
                name: "sail",
                sport: nil,
                in: try $0.spaces.own(),
                at: now
            )
        }
        for start in [0, 5] {
            let samples = Self.samples(count: 5, from: start)
            recording = try await device.replica.write {
                [recording, now = device.moment(Time.start)] in
                try $0.recordings.append(samples, to: recording, at: now)
            }
            if start == 0 { try await device.join() }
        }
        try await device.replica.write { [now = device.moment(Time.start), recording] in
            try $0.recordings.stop(recording, at: now)
        }
        let samples = try await device.replica.read { [recording] in
            try $0.tracks.samples(of: recording.track, in: TestDevice.space)
        }
        #expect(samples == Self.samples(count: 10))
        let track = try await device.replica.read { [recording] in
            try $0.tracks.find(recording.track, in: TestDevice.space)
        }
        #expect(track?.status == .stopped)
    }

    @Test func `going on with a track makes a new stream`() async throws {
        let device = try await TestDevice.joined(1)
        let first = try await record(10, on: device)
        var second = try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.resume(
                of: first.track,
                in: TestDevice.space,
                at: now
            )
        }
        #expect(second.next.stream != first.next.stream)
        #expect(second.next.index == 0)
        second = try await device.replica.write { [second, now = device.moment(Time.start)] in
            try $0.recordings.append(
                Self.samples(count: 5, from: 10),
                to: second,
                at: now
            )
        }
        try await device.replica.write { [now = device.moment(Time.start), second] in
            try $0.recordings.stop(second, at: now)
        }
        #expect(Set(try await chunkFields(device, first.track).map(\.stream)).count == 2)
        let samples = try await device.replica.read {
            try $0.tracks.samples(of: first.track, in: TestDevice.space)
        }
        #expect(samples == Self.samples(count: 15))
    }

    @Test func `T11 a recording whose recorder went away is shown as interrupted`() async throws {
        let device = try await TestDevice.joined(1)
        let recording = try await record(10, on: device)
        try device.restart()
        let open = try await device.replica.read {
            try $0.recordings.tracksBeingRecorded(in: TestDevice.space)
        }
        #expect(open == [recording.track])
        let tracks = try await device.packInterrupted(at: Time.start)
        #expect(tracks == [recording.track])
        #expect(
            try await device.replica.read {
                try $0.recordings.tracksBeingRecorded(in: TestDevice.space)
            } == []
        )
        let track = try await device.replica.read {
            try $0.tracks.find(recording.track, in: TestDevice.space)
        }
        #expect(track?.status == .interrupted)
        #expect(try await device.replica.read { try $0.maintenance.status() }.unpackedSamples == 0)
        #expect(
            try await device.packInterrupted(at: Time.start).isEmpty
        )
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.settle(&log, at: Time.start)
        let other = try await TestDevice.joined(2)
        try await other.settle(&log, at: Time.start)
        #expect(
            try await other.packInterrupted(at: Time.start).isEmpty
        )
    }

    @Test func `another device cannot tell whether a recorder is still there`() async throws {
        let device = try await TestDevice.joined(1)
        let recording = try await record(10, on: device)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        let other = try await TestDevice.joined(2)
        for one in [device, other] { try await one.settle(&log, at: Time.start) }
        let track = try await other.replica.read {
            try $0.tracks.find(recording.track, in: TestDevice.space)
        }
        #expect(track?.status == .recording)
        #expect(
            try await other.replica.read {
                try $0.recordings.tracksBeingRecorded(in: TestDevice.space)
            } == []
        )
    }

    @Test func `I1 a copy made in the middle of a recording does not shorten it`() async throws {
        let device = try await TestDevice.joined(1)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        var recording = try await record(1000, on: device)
        let copy = try await device.clone(as: "copy.db")
        recording = try await device.replica.write { [recording, now = device.moment(Time.start)] in
            try $0.recordings.append(
                Self.samples(count: 500, from: 1000),
                to: recording,
                at: now
            )
        }
        try await device.replica.write { [now = device.moment(Time.start + 1), recording] in
            try $0.recordings.stop(recording, at: now)
        }
        try await device.settle(&log, at: Time.start + 1)
        // Found in a drawer a year later: what it holds of the recording is packed then.
        let later = Time.start + Time.year
        #expect(
            try await copy.packInterrupted(at: later)
                .count == 1
        )
        for one in [copy, device] { try await one.settle(&log, at: later) }
        // Until the longer chunk is here, if ever, the shorter one is what there is.
        let space = TestDevice.space
        let short = try await copy.replica.read { [recording] in
            try $0.tracks.samples(of: recording.track, in: space)
        }
        #expect(short == Self.samples(count: 1000))
        let line = try await copy.replica.read { [recording] in
            try $0.tracks.find(recording.track, in: space)
        }
        #expect(line?.pointCount == 1000 && line?.missingChunkCount == 1)
        #expect(line?.unmeasuredChunkCount == 1)
        #expect(try await copy.replica.read { try $0.maintenance.verify() }.faults == [])
        for one in [copy, device] {
            try await one.fetchChunks(from: log)
            let read = try await one.replica.read { [recording] in
                try $0.tracks.samples(of: recording.track, in: TestDevice.space)
            }
            #expect(read == Self.samples(count: 1500))
        }
    }

    @Test func `T2 samples come back bit for bit on a second replica`() async throws {
        let device = try await TestDevice.joined(1)
        let recording = try await record(9000, on: device)
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.stop(recording, at: now)
        }
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.settle(&log, at: Time.start)

        let other = try await TestDevice.joined(2)
        try await other.settle(&log, at: Time.start)
        let before = try await other.replica.read {
            try $0.tracks.find(recording.track, in: TestDevice.space)
        }
        #expect(before?.sampleCount == 9000, "the list is complete before the points arrive")
        let missing = try #require(before?.missingChunkCount)
        let wanted = try await other.replica.read {
            try $0.chunks.wanted(of: TestDevice.space, limit: 100)
        }
        #expect(wanted.count == missing)
        #expect(Set(wanted) == Set(log.chunks.keys))
        try await other.fetchChunks(from: log)
        let (mine, theirs) = (
            try await device.replica.read {
                try $0.tracks.find(recording.track, in: TestDevice.space)
            },
            try await other.replica.read {
                try $0.tracks.find(recording.track, in: TestDevice.space)
            }
        )
        #expect(mine == theirs)
        let samples = try await other.replica.read {
            try $0.tracks.samples(of: recording.track, in: TestDevice.space)
        }
        #expect(samples == Self.samples(count: 9000))
        #expect(try await other.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `T10 bytes that are not the chunk's are refused, and it stays wanted`() async throws
    {
        let device = try await TestDevice.joined(1)
        let recording = try await record(10, on: device)
        try await device.replica.write { [now = device.moment(Time.start)] in
            try $0.recordings.stop(recording, at: now)
        }
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.settle(&log, at: Time.start)
        let other = try await TestDevice.joined(2)
        try await other.settle(&log, at: Time.start)
        let (hash, bytes) = try #require(log.chunks.first)
        var flipped = bytes
        flipped[bytes.count / 2] ^= 1
        for wrong in [flipped, [], Array(bytes.dropLast()), bytes + [0]] {
            await #expect(throws: ReplicaError.wrongChunk(hash)) {
                try await other.replica.write { try $0.chunks.store(wrong, of: hash) }
            }
        }
        let noChunk: [UInt8] = [1, 2, 3]
        await #expect(throws: ReplicaError.wrongChunk(Digest(of: noChunk))) {
            try await other.replica.write { try $0.chunks.store(noChunk, of: Digest(of: noChunk)) }
        }
        #expect(try await other.replica.read { try $0.maintenance.status() }.wantedChunks == 1)
        try await other.replica.write { try $0.chunks.store(bytes, of: hash) }
        #expect(try await other.replica.read { try $0.maintenance.status() }.wantedChunks == 0)
    }

    @Test func `one chunk of two tracks arrives for both`() async throws {
        let device = try await TestDevice.joined(1)
        let imported = ImportedTrack(name: "a", samples: Self.samples(count: 20))
        var ids: [Identifier] = []
        for file in ["one", "two"] {
            let row = try await device.replica.write { [now = device.moment(Time.start)] in
                try $0.imports.insert(
                    imported,
                    as: ImportName(file: Digest(of: file.utf8), place: 0),
                    into: TestDevice.space,
                    now: now
                )
            }
            ids.append(row.track)
        }
        var log = LogDouble(keys: TestDevice.spaceKeys)
        try await device.settle(&log, at: Time.start)
        let other = try await TestDevice.joined(2)
        try await other.settle(&log, at: Time.start)
        try await other.fetchChunks(from: log)
        for id in ids {
            let track = try await other.replica.read {
                try $0.tracks.find(id, in: TestDevice.space)
            }
            #expect(track?.missingChunkCount == 0)
            #expect(track?.pointCount == 20)
            #expect(
                try await device.replica.read { try $0.tracks.find(id, in: TestDevice.space) }
                    == track
            )
        }
    }
}
