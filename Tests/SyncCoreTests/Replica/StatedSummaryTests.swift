import Testing

@testable import SyncCore

/// What a chunk reference states is shown before the chunk arrives, and checked afterwards.
@Suite struct StatedSummaryTests {
    /// A recorded track on one device, and another device that has its cells but not its chunks.
    private struct Pair {
        let track: Identifier
        let author: TestDevice
        let reader: TestDevice
        var log: LogDouble

        func line(on device: TestDevice) async throws -> Track? {
            try await device.replica.read { [track] in
                try $0.tracks.find(track, in: TestDevice.space)
            }
        }
    }

    private func pair(_ samples: [Sample], sport: String? = nil) async throws -> Pair {
        let author = try await TestDevice.joined(1)
        let reader = try await TestDevice.joined(2)
        var log = LogDouble(keys: TestDevice.spaceKeys)
        var recording = try await author.replica.write { [now = author.moment(Time.start)] in
            try $0.recordings.start(name: "x", sport: sport, in: TestDevice.space, at: now)
        }
        recording = try await author.replica.write { [recording, now = author.moment(Time.start)] in
            let next = try $0.recordings.append(samples, to: recording, at: now)
            try $0.recordings.stop(next, at: now)
            return next
        }
        try await author.settle(&log, at: Time.start)
        try await reader.settle(&log, at: Time.start)
        return Pair(track: recording.track, author: author, reader: reader, log: log)
    }

    @Test func `a track is listed whole before its points arrive`() async throws {
        let samples = RecordingTests.samples(count: 9000)
        let pair = try await pair(samples)
        let (own, read) = try await (pair.line(on: pair.author), pair.line(on: pair.reader))
        #expect(read?.missingChunkCount == 3 && read?.pointCount == 9000)
        #expect(read?.unmeasuredChunkCount == 0)
        #expect(read?.box == own?.box && read?.start == own?.start)
        let (metres, shown) = (own?.distanceMetres ?? 0, read?.distanceMetres ?? -1)
        #expect(metres > 1000 && abs(shown - metres) < 0.001)
        try await pair.reader.fetchChunks(from: pair.log)
        #expect(try await pair.line(on: pair.reader) == own)
        #expect(try await pair.reader.replica.read { try $0.maintenance.verify() }.faults == [])
    }

    @Test func `a missing chunk that is hidden in part is not measured`() async throws {
        var pair = try await pair(RecordingTests.samples(count: 9000))
        let name = try await pair.author.sampleName(100, of: pair.track)
        let trim = Edit.trim(pair.track, to: SampleRange(from: name))
        try await pair.author.edit(trim, at: Time.start + 1)
        try await pair.author.settle(&pair.log, at: Time.start + 2)
        try await pair.reader.settle(&pair.log, at: Time.start + 3)
        let read = try await pair.line(on: pair.reader)
        #expect(read?.missingChunkCount == 3 && read?.unmeasuredChunkCount == 1)
        let sums = try await pair.reader.replica.read {
            try $0.tracks.sums(in: TestDevice.space)
        }
        #expect(sums.partialCount == 1)
        try await pair.reader.fetchChunks(from: pair.log)
        #expect(try await pair.line(on: pair.reader) == pair.line(on: pair.author))
    }

    @Test func `the summary is by the rule of the sport`() async throws {
        // 20 m/s is possible on a boat and not on foot.
        var samples = RecordingTests.samples(count: 100)
        samples[50][count: .latitude]? += 1800
        let (sail, run) = (try await pair(samples), try await pair(samples, sport: "running"))
        let lines = [try await sail.line(on: sail.reader), try await run.line(on: run.reader)]
        let shown = lines.compactMap { $0?.distanceMetres }
        #expect(shown[0] > shown[1] + 10)
        #expect(try await run.line(on: run.author)?.distanceMetres == shown[1])
    }

    /// Names a further chunk in the track, with a summary that is not that of its samples.
    private func name(
        _ samples: [Sample],
        stating lie: ChunkSummary,
        in pair: inout Pair
    ) async throws {
        let chunk = Chunk.pack(samples)
        try await pair.author.replica.write {
            [now = pair.author.moment(Time.start + 5), track = pair.track] in
            let name = SampleName(stream: 7, index: 0)
            let key = Key(TrackField.points, .id(track), name.field)
            let reference = ChunkReference(to: chunk, lie)
            let place = RowAddress(space: 1, id: track)
            try $0.chunks.insert(chunk, reference, ends: Samples(samples).ends, for: place)
            try $0.rows.write([Edit(key, reference.value)], in: TestDevice.space, at: now)
        }
        try await pair.author.settle(&pair.log, at: Time.start + 6)
        try await pair.reader.settle(&pair.log, at: Time.start + 7)
    }

    @Test func `bounds that the samples do not have are not believed`() async throws {
        var pair = try await pair(RecordingTests.samples(count: 60))
        let samples = RecordingTests.samples(count: 40)
        let hash = Digest(of: Chunk.pack(samples))
        let lie = ChunkSummary(of: samples.prefix(30))
        try await name(samples, stating: lie, in: &pair)
        try await pair.reader.fetchChunks(from: pair.log)
        let found = try await pair.reader.replica.read { try $0.maintenance.verify() }
        #expect(found.chunkFaults == [] && found.misstatements.count == 1)
        let summary = try await pair.reader.replica.read {
            try $0.chunks.summary(of: hash)?.summary
        }
        #expect(summary == ChunkSummary(of: samples))
    }

    @Test func `a false distance is found by verify, and repaired here`() async throws {
        var pair = try await pair(RecordingTests.samples(count: 60))
        let samples = RecordingTests.samples(count: 40)
        var far = samples
        far[30][count: .longitude]? += 300
        let lie = ChunkSummary(
            bounds: ChunkSummary(of: samples).bounds,
            filtered: ChunkSummary(of: far).filtered
        )
        try await name(samples, stating: lie, in: &pair)
        try await pair.reader.fetchChunks(from: pair.log)
        let before = try await pair.line(on: pair.reader)?.distanceMetres ?? 0
        let verified = try await pair.reader.replica.read { try $0.maintenance.verify() }
        #expect(verified.chunkFaults.count == 1)
        _ = try await pair.reader.replica.write { [now = pair.reader.wall(Time.start + 8)] in
            try $0.repairs.repair(at: now)
        }
        let again = try await pair.reader.replica.read { try $0.maintenance.verify() }
        #expect(again.faults == [] && again.misstatements.count == 1)
        let after = try await pair.line(on: pair.reader)?.distanceMetres ?? 0
        let error = (lie.filtered?.metres ?? 0) - (ChunkSummary(of: samples).filtered?.metres ?? 0)
        #expect(error > 0.1 && abs(before - after - error) < 0.01)
    }
}
