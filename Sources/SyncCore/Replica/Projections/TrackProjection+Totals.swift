/// The totals of the samples that a track shows.
struct TrackTotal {
    /// The distance over the available samples.
    fileprivate(set) var distance: DistanceAccumulator
    fileprivate(set) var sampleCount = 0
    /// The number of available points.
    fileprivate(set) var pointCount = 0
    /// The number of chunks that are missing.
    fileprivate(set) var missingCount = 0
    fileprivate(set) var times: ClosedRange<UnixTime>?
    fileprivate(set) var box: ChunkSummary.Box?
}

extension TrackProjection {
    /// Adds up the stored summaries of the chunks that a track shows.
    ///
    /// A chunk that is shown only in part is read. The times and box of a missing chunk, or of a
    /// part of one, come from its reference.
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
                total.add(PartSummary(ChunkSummary(of: samples[span.range], by: rule)))
                before = nil
            case .chunk(let piece):
                guard let part = try part(of: piece, in: span, by: rule, sums, &total) else {
                    continue
                }
                let sum = try sums.summary(of: part) { try summary(of: part, in: sums) }
                total.add(sum) { add in
                    before.map { sums.metres(from: $0, to: part, add: add) } ?? add()
                }
                before = sum.ends.count == 2 * ChunkSummary.reach ? part : nil
            }
        }
        return total
    }

    /// Returns the part of a chunk that a span shows.
    ///
    /// Returns nil for a missing chunk after adding the times and box of its reference.
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
        if present != piece.reference.hash { total.missingCount += 1 }
        if span.isWhole || present == nil { total.add(nil, piece.reference.box) }
        guard let present else {
            total.add(piece.reference.times, nil)
            return nil
        }
        let isWhole = span.isWhole && present == piece.reference.hash
        return ChunkSums.Part(hash: present, range: isWhole ? nil : span.range, rule: rule)
    }

    private func summary(of part: ChunkSums.Part, in sums: ChunkSums) throws -> PartSummary {
        if part.range == nil, let whole = try summary(of: part.hash, by: part.rule) { return whole }
        let samples = sums.last.samples(in: part.hash) { readableSamples(in: $0) ?? [] }
        let range = part.range?.clamped(to: samples.indices) ?? samples.indices
        return PartSummary(ChunkSummary(of: samples[range], by: part.rule))
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
        let judged = try database.all(
            """
            SELECT DISTINCT c.hash, c.speed_limit, c.greatest_speed
            FROM chunk_use u JOIN chunk c ON c.hash = u.hash
            WHERE u.space = \(place.space) AND u.track = \(place.id) AND c.bytes IS NOT NULL
                AND c.speed_limit != \(rule.speedLimit)
            """
        ) {
            let rule = FixRule(speedLimit: $0.real(1))
            return ($0.digest(0), Judgement(rule: rule, greatestSpeed: $0.real(2)))
        }
        for (hash, judgement) in judged where !judgement.holds(for: rule) {
            guard let samples = readableSamples(in: hash) else { continue }
            try update(ChunkSummary(of: samples, by: rule), of: hash)
        }
    }

    /// The rule of a stored summary, and the greatest speed in the chunk.
    private struct Judgement {
        let rule: FixRule
        let greatestSpeed: Double

        /// Returns whether another rule gives the same summary, since both allow the greatest
        /// speed.
        func holds(for other: FixRule) -> Bool {
            if rule == other { return true }
            guard rule != .off, other != .off else { return false }
            return greatestSpeed <= min(rule.unseenSpeedLimit, other.unseenSpeedLimit)
        }
    }

    private func summary(of hash: Digest, by rule: FixRule) throws -> PartSummary? {
        guard let (stored, judgement) = try storedSummary(of: hash) else { return nil }
        guard !judgement.holds(for: rule), let samples = readableSamples(in: hash)
        else { return stored }
        return PartSummary(ChunkSummary(of: samples, by: rule))
    }

    private func readableSamples(in hash: Digest) -> Samples? {
        (try? chunks.samples(in: hash)) ?? nil
    }

    private func storedSummary(of hash: Digest) throws -> (PartSummary, Judgement)? {
        try database.first(
            """
            SELECT points, distance, ends, speed_limit, greatest_speed, first_time, last_time
            FROM chunk
            WHERE hash = \(hash) AND bytes IS NOT NULL
            """
        ) {
            let ends = $0.blob(2)
            let summary = PartSummary(
                pointCount: Int($0.integer(0)),
                metres: $0.real(1),
                ends: ends.isEmpty ? [] : try Chunk.unpack(ends),
                times: $0.times(5)
            )
            let rule = FixRule(speedLimit: $0.real(3))
            return (summary, Judgement(rule: rule, greatestSpeed: $0.real(4)))
        }
    }

    private func update(_ summary: ChunkSummary, of hash: Digest) throws {
        try database.run(
            """
            UPDATE chunk
                SET points = \(summary.pointCount), distance = \(summary.distanceMetres),
                ends = \(summary.packedEnds), speed_limit = \(summary.rule.speedLimit),
                greatest_speed = \(summary.greatestSpeed),
                first_time = \(summary.believedTimes?.lowerBound.milliseconds),
                last_time = \(summary.believedTimes?.upperBound.milliseconds)
            WHERE hash = \(hash)
            """
        )
    }
}

extension Statement {
    /// Reads the earliest and the latest time of a chunk from two columns.
    func times(_ column: Int32) -> ClosedRange<UnixTime>? {
        guard !isNull(column), !isNull(column + 1), integer(column) <= integer(column + 1)
        else { return nil }
        return UnixTime(milliseconds: integer(column))...UnixTime(milliseconds: integer(column + 1))
    }
}

extension TrackTotal {
    fileprivate mutating func add(
        _ part: PartSummary,
        meeting: (() -> Double) -> Double = { $0() }
    ) {
        pointCount += part.pointCount
        distance.add(metres: part.metres, ends: part.ends, meeting: meeting)
        add(part.times, part.box)
    }

    fileprivate mutating func add(_ other: ClosedRange<UnixTime>?, _ otherBox: ChunkSummary.Box?) {
        if let otherBox { box = box?.union(otherBox) ?? otherBox }
        guard let other else { return }
        let (first, last) = (times?.lowerBound ?? other.lowerBound, times?.upperBound)
        times = min(first, other.lowerBound)...max(last ?? other.upperBound, other.upperBound)
    }
}
