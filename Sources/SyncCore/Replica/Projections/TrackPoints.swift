/// The samples of tracks: chunks that cells name, and samples in no chunk yet in the table `tail`.
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

    /// Returns samples that are in no chunk yet, as consecutive runs.
    func tail(of place: RowAddress) throws -> [(first: SampleName, samples: Samples)] {
        let batches = try database.all(
            """
            SELECT stream, first, samples FROM tail
            WHERE space = \(place.space) AND track = \(place.id)
            ORDER BY stream, first
            """
        ) {
            let stream = UInt64(bitPattern: $0.integer(0))
            let first = SampleName(stream: stream, index: Int($0.integer(1)))
            return (first: first, samples: try Chunk.unpack($0.blob(2)))
        }
        var runs: [(first: SampleName, samples: Samples)] = []
        for batch in batches {
            if let last = runs.last, last.first.stream == batch.first.stream,
                last.first.index + last.samples.count == batch.first.index
            {
                runs[runs.count - 1].samples.append(contentsOf: batch.samples)
            } else {
                runs.append(batch)
            }
        }
        return runs
    }

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
