/// The samples of tracks: chunks that cells name, and samples in no chunk yet.
package struct TrackPoints: ReplicaPart {
    package let context: ReplicaContext

    /// Stores chunks and returns the edits that name them.
    ///
    /// - Parameter rule: the rule of the track's sport, by which the chunks are summarized.
    /// - Parameter origin: the origin of an edit, given the number of samples in its chunk.
    func insert(
        _ chunks: [PackedChunk],
        from first: SampleName,
        into place: RowAddress,
        by rule: FixRule,
        origin: (Int) -> Edit.Origin
    ) throws -> [Edit] {
        var next = first
        return try chunks.map { chunk in
            let reference = chunk.reference(by: rule)
            try self.chunks.insert(chunk.bytes, reference, ends: chunk.ends, for: place)
            let name = next
            try self.chunks.recordUse(of: reference, from: name, by: place)
            next = SampleName(stream: name.stream, index: name.index + reference.sampleCount)
            return Edit(
                Key(TrackField.points, .id(place.id), name.field),
                reference.value,
                origin: origin(reference.sampleCount)
            )
        }
    }

    /// Returns the chunks of a track in time order, without those that overlap an earlier one.
    ///
    /// Overlap means samples of the same stream.
    func pieces(of place: RowAddress) throws -> [ChunkUse] {
        let cells = try rows.find(place.space, TrackField.points, .id(place.id))?.cells ?? [:]
        let all = cells.compactMap { ChunkUse(field: $0, $1) }
            .filter { $0.reference.summary != nil }
        let streams = Dictionary(grouping: all, by: \.first.stream).values
        return streams.map(Self.withoutOverlap)
            .sorted { Self.beginning($0) < Self.beginning($1) }
            .flatMap { $0 }
    }

    private static func withoutOverlap(_ pieces: [ChunkUse]) -> [ChunkUse] {
        var end = 0
        return pieces.sorted { $0.first < $1.first }
            .filter { piece in
                guard piece.first.index >= end else { return false }
                end = piece.first.index + piece.reference.sampleCount
                return true
            }
    }

    /// Returns the order of a stream: its first time, then its name, so that all replicas agree.
    private static func beginning(_ pieces: [ChunkUse]) -> (Int64, UInt64) {
        let times = pieces.compactMap(\.reference.summary?.bounds.times?.lowerBound.milliseconds)
        return (times.min() ?? .max, pieces.first?.first.stream ?? 0)
    }

    /// Returns all recorded runs of a track, packed ones first.
    func recordedRuns(of place: RowAddress) throws -> [DerivationGraph.Run] {
        typealias Run = DerivationGraph.Run
        let packed = try pieces(of: place).map {
            Run(first: $0.first, count: $0.reference.sampleCount, content: .chunk($0))
        }
        let open = try tail(of: place).map {
            Run(first: $0.first, count: $0.samples.count, content: .tail($0.samples))
        }
        return packed + open
    }
}
