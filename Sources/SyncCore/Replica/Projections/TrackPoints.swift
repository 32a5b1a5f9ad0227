/// The samples of tracks: chunks that cells name, and the table `tail` of those in no chunk yet.
package struct TrackPoints: ReplicaPart {
    package let context: ReplicaContext

    func tailCount(of place: RowAddress) throws -> Int {
        try database.first(
            """
            SELECT coalesce(sum(count), 0) FROM tail
            WHERE space = \(place.space) AND track = \(place.id)
            """
        ) { Int($0.integer(0)) } ?? 0
    }

    /// Samples that are in no chunk yet, a run at a time.
    func tail(of place: RowAddress) throws -> [(first: SampleName, samples: [Sample])] {
        let batches = try database.all(
            """
            SELECT stream, first, samples FROM tail
            WHERE space = \(place.space) AND track = \(place.id)
            ORDER BY stream, first
            """
        ) {
            (
                first: SampleName(
                    stream: UInt64(bitPattern: $0.integer(0)),
                    index: Int($0.integer(1))
                ),
                samples: try Chunk.unpack($0.blob(2))
            )
        }
        var runs: [(first: SampleName, samples: [Sample])] = []
        for batch in batches {
            if let last = runs.last, last.first.stream == batch.first.stream,
                last.first.index + last.samples.count == batch.first.index
            {
                runs[runs.count - 1].samples += batch.samples
            } else {
                runs.append(batch)
            }
        }
        return runs
    }

    /// Stores samples as chunks; returns the edits that name them.
    ///
    /// - Parameter origin: where a chunk of so many samples comes from.
    func pack(
        _ samples: [Sample],
        from first: SampleName,
        into place: RowAddress,
        origin: (Int) -> Edit.Origin
    ) throws -> [Edit] {
        try insert(PackedChunk.pack(samples), from: first, into: place, origin: origin)
    }

    /// Stores chunks; returns the edits that name them.
    func insert(
        _ chunks: [PackedChunk],
        from first: SampleName,
        into place: RowAddress,
        origin: (Int) -> Edit.Origin
    ) throws -> [Edit] {
        var next = first
        return try chunks.map { chunk in
            let reference = ChunkReference(to: chunk.bytes, chunk.summary)
            try self.chunks.insert(chunk.bytes, chunk.summary, hash: reference.hash, for: place)
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
}

extension TrackPoints {
    /// The chunks of a track in the order of time; a chunk whose samples another of the same
    /// stream already holds is left out.
    func pieces(of place: RowAddress) throws -> [ChunkUse] {
        let cells = try rows.find(place.space, TrackField.points, .id(place.id))?.cells ?? [:]
        let all = cells.compactMap { ChunkUse(field: $0, $1) }
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

    /// Streams are ordered by their first time, then by name, so that all replicas agree.
    private static func beginning(_ pieces: [ChunkUse]) -> (Int64, UInt64) {
        let times = pieces.compactMap(\.reference.times?.lowerBound.milliseconds)
        return (times.min() ?? .max, pieces.first?.first.stream ?? 0)
    }

    /// All that was recorded of a track, with what is in no chunk yet, stream by stream.
    func recordedRuns(of place: RowAddress) throws -> [DerivationGraph.Run] {
        let packed = try pieces(of: place).map {
            DerivationGraph.Run(
                first: $0.first,
                count: $0.reference.sampleCount,
                content: .chunk($0)
            )
        }
        return try packed
            + tail(of: place).map {
                DerivationGraph.Run(
                    first: $0.first,
                    count: $0.samples.count,
                    content: .tail($0.samples)
                )
            }
    }
}

extension ReplicaPart {
    package var points: TrackPoints { TrackPoints(context: context) }
}
