/// The totals of the samples that a track shows.
struct TrackTotal {
    /// The distance; over a missing chunk as its reference states it.
    fileprivate(set) var distance: DistanceAccumulator
    fileprivate(set) var sampleCount = 0
    /// The number of points, without those of partly hidden chunks that are missing.
    fileprivate(set) var pointCount = 0
    /// The number of chunks that are missing.
    fileprivate(set) var missingCount = 0
    /// The number of missing chunks whose points and distance are not in the sums.
    fileprivate(set) var unmeasuredCount = 0
    fileprivate(set) var times: ClosedRange<UnixTime>?
    fileprivate(set) var box: ChunkSummary.Box?
}

extension TrackProjection {
    /// Adds up the stored summaries of the chunks that a track shows.
    ///
    /// A chunk that is shown only in part is read. For a missing chunk, uses its reference: all of
    /// the summary if the chunk is shown as a whole, otherwise its times and box.
    func total(
        of spans: [DerivationGraph.Span],
        by rule: FixRule,
        in sums: ChunkSums = ChunkSums()
    ) throws -> TrackTotal {
        var total = TrackTotal(distance: DistanceAccumulator(rule))
        // The last part, if its stored ends alone decide the distance to the next part.
        var before: ChunkSums.Part?
        for span in spans {
            total.sampleCount += span.range.count
            if span.isApart {
                total.distance.breakOff()
                before = nil
            }
            switch span.run.content {
            case .tail(let samples):
                total.add(PartSummary(of: samples[span.range], by: rule))
                before = nil
            case .chunk(let piece):
                guard let part = try part(of: piece, in: span, by: rule, sums, &total) else {
                    before = nil
                    continue
                }
                let sum = try sums.summary(of: part) { try summary(of: part, in: sums) }
                total.add(sum) { add in
                    before.map { sums.metres(from: $0, to: part, add: add) } ?? add()
                }
                before = sum.ends.count == 2 * Samples.filterReach ? part : nil
            }
        }
        return total
    }

    /// Returns the part of a chunk that a span shows.
    ///
    /// Returns nil for a missing chunk after adding what its reference states.
    private func part(
        of piece: ChunkUse,
        in span: DerivationGraph.Span,
        by rule: FixRule,
        _ sums: ChunkSums,
        _ total: inout TrackTotal
    ) throws -> ChunkSums.Part? {
        let present = try sums.chunk(of: piece, in: span.place) {
            try chunks.readable(of: piece, in: span.place)
        }
        if present != piece.reference.hash {
            total.missingCount += 1
            // The summary of a shorter chunk in its place covers only a part of the piece.
            if present != nil { total.unmeasuredCount += 1 }
        }
        guard let present else {
            if let stated = piece.reference.summary { total.add(missing: stated, in: span) }
            return nil
        }
        let isWhole = span.isWhole && present == piece.reference.hash
        return ChunkSums.Part(hash: present, range: isWhole ? nil : span.range, rule: rule)
    }

    private func summary(of part: ChunkSums.Part, in sums: ChunkSums) throws -> PartSummary {
        if part.range == nil, let whole = try summary(of: part.hash, by: part.rule) { return whole }
        let samples = sums.last.samples(in: part.hash) { readableSamples(in: $0) ?? [] }
        let range = part.range?.clamped(to: samples.indices) ?? samples.indices
        return PartSummary(of: samples[range], by: part.rule)
    }

    /// Returns the rule by which a track's outliers are detected.
    func rule(of place: RowAddress) throws -> FixRule {
        TrackField.rule(
            try rows.find(place.space, TrackField.collection, .id(place.id))?.cells ?? [:]
        )
    }

    /// Updates the stored summaries of a track's chunks after a change of its sport.
    ///
    /// Only chunks whose summary may differ under the new rule are read. An unreadable chunk keeps
    /// its summary; `verify` reports it.
    func updateSummaries(of place: RowAddress, by rule: FixRule) throws {
        let stored = try database.all(
            """
            SELECT DISTINCT c.hash, c.summary
            FROM chunk_use u JOIN chunk c ON c.number = u.chunk
            WHERE u.space = \(place.space) AND u.track = \(place.id) AND c.bytes IS NOT NULL
                AND c.kind = \(Int(Chunk.Kind.samples.rawValue))
            """
        ) { ($0.digest(0), $0.chunkSummary(1)) }
        for (hash, summary) in stored where summary?.by(rule) == nil {
            guard let samples = readableSamples(in: hash) else { continue }
            try chunks.update(ChunkSummary(of: samples, by: rule), of: hash)
        }
    }

    private func summary(of hash: Digest, by rule: FixRule) throws -> PartSummary? {
        guard let stored = try chunks.summary(of: hash) else { return nil }
        guard stored.summary.by(rule) == nil, let samples = readableSamples(in: hash)
        else { return stored }
        return PartSummary(of: samples, by: rule)
    }

    private func readableSamples(in hash: Digest) -> Samples? {
        (try? chunks.samples(in: hash)) ?? nil
    }
}

extension TrackTotal {
    fileprivate mutating func add(
        _ part: PartSummary,
        meeting: (() -> Double) -> Double = { $0() }
    ) {
        let (bounds, filtered) = (part.summary.bounds, part.summary.filtered)
        pointCount += bounds.pointCount
        distance.add(metres: filtered?.metres ?? 0, ends: part.ends, meeting: meeting)
        add(filtered?.times, bounds.box)
    }

    fileprivate mutating func add(missing stated: ChunkSummary, in span: DerivationGraph.Span) {
        guard span.isWhole, let filtered = stated.filtered else {
            unmeasuredCount += 1
            add(stated.bounds.times, stated.bounds.box)
            return
        }
        pointCount += stated.bounds.pointCount
        distance.add(missing: filtered)
        add(filtered.times, stated.bounds.box)
    }

    private mutating func add(_ other: ClosedRange<UnixTime>?, _ otherBox: ChunkSummary.Box?) {
        if let otherBox { box = box?.union(otherBox) ?? otherBox }
        guard let other else { return }
        let (first, last) = (times?.lowerBound ?? other.lowerBound, times?.upperBound)
        times = min(first, other.lowerBound)...max(last ?? other.upperBound, other.upperBound)
    }
}
