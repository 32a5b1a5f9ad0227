@testable import SyncCore
import Testing

/// Tracks of a test, and edits of them.
extension TestDevice {
    /// A track of 9,000 samples, in three chunks.
    func recordedSail(
        count: Int = 9000,
        from first: Int = 0
    ) async throws -> Recording {
        var recording = try await replica.write { [now = moment(Time.start)] in
            try $0.recordings.start(
                name: "sail",
                sport: "sailing",
                in: TestDevice.space,
                at: now
            )
        }
        for start in stride(from: 0, to: count, by: 1000) {
            let samples = RecordingTests.samples(
                count: min(1000, count - start),
                from: first + start
            )
            recording = try await replica.write { [recording, now = moment(Time.start)] in
                try $0.recordings.append(samples, to: recording, at: now)
            }
        }
        return recording
    }

    func sail(
        count: Int = 9000,
        from first: Int = 0
    ) async throws -> Identifier {
        let recording = try await recordedSail(count: count, from: first)
        try await replica.write { [now = moment(Time.start)] in
            try $0.recordings.stop(recording, at: now)
        }
        return recording.track
    }

    func tracks() async throws -> [Track] {
        try await replica.read { try $0.tracks.all(in: TestDevice.space) }
    }

    func metres() async throws -> Double {
        try await tracks().reduce(0) { $0 + $1.distanceMetres }
    }

    /// The distance of the samples as who reads them sees them.
    func readMetres(_ track: Track) async throws -> Double {
        var distance = Distance(FixRule(sport: track.sport))
        for sample in try await replica.read({
            try $0.tracks.samples(of: track.id, in: TestDevice.space)
        }) {
            distance.add(sample)
        }
        return distance.metres
    }

    /// That of every track is what its samples give, and the list is what the cells say.
    func expectSound(_ seed: UInt64 = 0) async throws {
        for track in try await tracks() {
            let read = try await readMetres(track)
            #expect(abs(track.distanceMetres - read) < 0.001, "seed \(seed)")
            let count = try await replica.read {
                try $0.tracks.samples(of: track.id, in: TestDevice.space)
            }.count
            #expect(track.sampleCount == count, "seed \(seed)")
        }
        let faults = try await replica.read { try $0.maintenance.verify() }.faults
        #expect(faults == [], "seed \(seed)")
    }

    func edit(
        _ edits: [Edit],
        at time: Int64 = Time.start
    ) async throws {
        try await replica.write { [now = moment(time)] in
            try $0.actions.write(edits, as: "test", in: TestDevice.space, at: now)
        }
    }

    func sampleName(_ index: Int, of track: Identifier) async throws
        -> SampleName
    {
        try await replica.read { replica in
            var names: [SampleName] = []
            try replica.editing.forEachSample(of: track, in: TestDevice.space) {
                names.append($0.name)
            }
            return names[index]
        }
    }

    func split(
        _ track: Identifier,
        at index: Int,
        time: Int64 = Time.start
    ) async throws -> [Identifier] {
        let cut = try await sampleName(index, of: track)
        let split = try await replica.read {
            try $0.editing.split(track, before: [cut], in: TestDevice.space)
        }
        try await edit(split.edits, at: time)
        return split.tracks
    }

    func join(
        _ tracks: [Identifier],
        time: Int64 = Time.start
    ) async throws -> Identifier {
        let join = try await replica.read { try $0.editing.join(tracks, in: TestDevice.space) }
        try await edit(join.edits, at: time)
        return join.track
    }
}
