@testable import SyncCore

/// Splits and joins of tracks, what is trimmed off and hidden, their undoing, and the trash.
extension World {
    func editTracks(on device: SimulatedDevice, _ random: inout SplitMix64) throws {
        guard device.replica != nil, let space = try ownSpace(of: device) else { return }
        let shown = try attempt(on: device) { replica in
            try await replica.read { try $0.tracks.all(in: space) }.filter { $0.pointCount > 1 }
                .map(\.id)
        }
        guard let tracks = shown?.shuffled(using: &random), let track = tracks.first else { return }
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1, 2: try split(track, in: space, on: device, &random)
        case 3 where tracks.count > 1:
            let pair = Array(tracks.prefix(2))
            let edits = try attempt(on: device) {
                try await $0.read { try $0.editing.join(pair, in: space) }.edits
            }
            try write(edits ?? [], on: device)
        case 4:
            let hidden =
                try attempt(on: device) { try await $0.read { try $0.tracks.hidden(in: space) } }
                ?? []
            let superseded = hidden.filter { $0.standing == .superseded }.map(\.id)
            guard let undone = superseded.randomElement(using: &random) else { return }
            try write([Edit(undone, TrackEdits.supersededBy, .null)], on: device)
        case 5, 6: try leaveOut(of: track, in: space, on: device, &random)
        case 7: try undoLeavingOut(of: track, in: space, on: device, &random)
        default:
            let trash = try attempt(on: device) {
                try await $0.read { try $0.tracks.all(in: space, deleted: true) }
            }
            if let deleted = trash?.randomElement(using: &random) {
                try write([Edit(deleted.id, FieldSchema.deleted.name, .null)], on: device)
            } else {
                try write([Edit(track, FieldSchema.deleted.name, .bool(true))], on: device)
            }
        }
    }

    private func split(
        _ track: Identifier,
        in space: Identifier,
        on device: SimulatedDevice,
        _ random: inout SplitMix64
    ) throws {
        let place = Double.random(in: 0..<1, using: &random)
        let edits = try attempt(on: device) { replica in
            let names = try await replica.names(of: track, in: space)
            guard names.count > 1 else { return [Edit]() }
            let cut = names[1 + Int(place * Double(names.count - 1))]
            // The first sample may stand there twice, where two parts meet.
            do {
                return try await replica.read {
                    try $0.editing.split(track, before: [cut], in: space)
                }.edits
            } catch TrackEditError.emptyPart {
                return []
            }
        }
        try write(edits ?? [], on: device)
    }

    private func undoLeavingOut(
        of track: Identifier,
        in space: Identifier,
        on device: SimulatedDevice,
        _ random: inout SplitMix64
    ) throws {
        let row = try attempt(on: device) {
            try await $0.read { try $0.rows.cells(TrackField.collection, .id(track), in: space) }
        }
        let edits = (row ?? [:]).keys.sorted().filter {
            [TrackEdits.trimStart, TrackEdits.trimEnd].contains($0)
                || $0.string.hasPrefix(TrackEdits.hidePrefix)
        }
        guard let undone = edits.randomElement(using: &random) else { return }
        try write([Edit(track, undone, .null)], on: device)
    }

    /// Trims a track, or hides some of it.
    private func leaveOut(
        of track: Identifier,
        in space: Identifier,
        on device: SimulatedDevice,
        _ random: inout SplitMix64
    ) throws {
        let (isTrim, isBridged) = (Bool.random(using: &random), Bool.random(using: &random))
        let places = (0..<2).map { _ in Double.random(in: 0..<1, using: &random) }.sorted()
        let edits = try attempt(on: device) { replica in
            let names = try await replica.names(of: track, in: space)
            guard !names.isEmpty else { return [Edit]() }
            let ends = places.map { names[Int($0 * Double(names.count))] }
            let range = SampleRange(from: ends[0], to: ends[1])
            guard !isTrim else { return Edit.trim(track, to: range) }
            return try await replica.read {
                $0.editing.hide([range], of: track, isBridged: isBridged)
            }
        }
        try write(edits ?? [], on: device)
    }
}

extension Replica {
    /// The samples that a track shows, by name.
    func names(of track: Identifier, in space: Identifier) throws -> [SampleName] {
        var names: [SampleName] = []
        try parts.editing.forEachSample(of: track, in: space) { names.append($0.name) }
        return names
    }

    /// The samples that are a track's, and those among them that edits leave out.
    func coveredNames(
        of track: Identifier,
        in space: Identifier
    ) throws -> (all: Set<SampleName>, leftOut: Set<SampleName>) {
        let graph = try parts.projection.graph(
            of: RowAddress(space: try parts.spaces.number(ofSpace: space), id: track)
        )
        var (all, leftOut): (Set<SampleName>, Set<SampleName>) = ([], [])
        for stretch in graph.lineage.whole(of: track) {
            for run in graph.runs[stretch.source]?[stretch.stream] ?? [] {
                for index in run.range.clamped(to: stretch.range) {
                    let name = SampleName(stream: stretch.stream, index: index)
                    all.insert(name)
                    if stretch.cover != .none { leftOut.insert(name) }
                }
            }
        }
        return (all, leftOut)
    }

    /// The bytes of the file that a track came from; nil where none was kept.
    func originalBytes(of track: Identifier, in space: Identifier) throws -> [UInt8]? {
        guard let original = try parts.originals.find(of: track, in: space) else { return nil }
        var bytes: [UInt8] = []
        try parts.originals.read(original, in: space) { bytes += $0 }
        return bytes
    }

    /// Every sample that was recorded of a track, whatever edits leave of it.
    func recordedSamples(of track: Identifier, in space: Identifier) throws -> [Sample] {
        let place = RowAddress(space: try parts.spaces.number(ofSpace: space), id: track)
        var cursor = try parts.projection.recordedBatches(of: place).cursor
        var samples: [Sample] = []
        while let sample = try cursor.next() { samples.append(sample) }
        return samples
    }

    /// The names of all samples of the recordings of a space.
    func recordedNames(in space: Identifier) throws -> Set<SampleName> {
        let number = try parts.spaces.number(ofSpace: space)
        var names: Set<SampleName> = []
        for row in try parts.rows.all(number, TrackField.points) {
            guard let track = row.row.id else { continue }
            let place = RowAddress(space: number, id: track)
            for run in try parts.points.recordedRuns(of: place) {
                for index in run.range {
                    names.insert(SampleName(stream: run.first.stream, index: index))
                }
            }
        }
        return names
    }
}
