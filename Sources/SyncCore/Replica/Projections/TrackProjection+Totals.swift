/// What the samples that a track shows add up to.
struct TrackTotal {
    /// The way through those that are here.
    fileprivate(set) var way: DistanceAccumulator
    fileprivate(set) var sampleCount = 0
    /// The points that are here.
    fileprivate(set) var pointCount = 0
    /// How many chunks are not here.
    fileprivate(set) var missingCount = 0
    /// The earliest and the latest time.
    fileprivate(set) var times: ClosedRange<UnixTime>?
    /// The smallest box around the points.
    fileprivate(set) var box: ChunkSummary.Box?
}

extension TrackProjection {
    /// Adds up what is kept of the chunks that a track shows; one of which it shows a part is read.
    ///
    /// Of a chunk that is not here, and of a part of one, the times and the box are those that its
    /// reference tells.
    func total(
        of spans: [DerivationGraph.Span],
        by rule: FixRule,
        in sums: ChunkSums = ChunkSums()
    ) throws -> TrackTotal {
        var total = TrackTotal(way: DistanceAccumulator(rule))
        // Where it tells by itself what the way goes on from.
        var before: ChunkSums.Part?
        for span in spans {
            total.sampleCount += span.range.count
            if span.isApart {
                total.way.breakOff()
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

    /// The part of a chunk that a span shows; nil where no chunk is here, of which the reference alone
    /// is added.
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
        if part.range == nil, let whole = try summary(of: part.hash, by: part.rule) {
            return whole
        }
        let samples = sums.samples(in: part.hash) { readableSamples(in: $0) ?? [] }
        let range = part.range?.clamped(to: samples.indices) ?? samples.indices
        return PartSummary(ChunkSummary(of: samples[range], by: part.rule))
    }

    /// What a track's fixes are judged by.
    func rule(of place: RowAddress) throws -> FixRule {
        TrackField.rule(
            try rows.find(place.space, TrackField.collection, .id(place.id))?.cells ?? [:]
        )
    }

    /// Judges the chunks of a track again that its rule sees otherwise: its sport changed.
    ///
    /// One that cannot be read stays as it was judged; `verify` tells of it.
    func judgeAnew(_ place: RowAddress, by rule: FixRule) throws {
        let judged = try database.all(
            """
            SELECT DISTINCT c.hash, c.speed_limit, c.greatest_speed
            FROM chunk_use u JOIN chunk c ON c.hash = u.hash
            WHERE u.space = \(place.space) AND u.track = \(place.id) AND c.bytes IS NOT NULL
                AND c.speed_limit != \(rule.speedLimit)
            """
        ) { ($0.digest(0), Judgement(limit: $0.real(1), greatestSpeed: $0.real(2))) }
        for (hash, judgement) in judged where !judgement.holds(for: rule) {
            guard let samples = readableSamples(in: hash) else { continue }
            try update(ChunkSummary(of: samples, by: rule), of: hash)
        }
    }

    /// The rule that the points of a chunk were judged by, and the greatest speed that was seen.
    private struct Judgement {
        let rule: FixRule
        let greatestSpeed: Double

        init(limit: Double, greatestSpeed: Double) {
            rule = FixRule(speedLimit: limit)
            self.greatestSpeed = greatestSpeed
        }

        /// Whether another rule says the same: what shows by itself is no matter of speed.
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

    private func readableSamples(in hash: Digest) -> [Sample]? {
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
            return (summary, Judgement(limit: $0.real(3), greatestSpeed: $0.real(4)))
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
    /// The earliest and the latest time that a chunk has, from two columns.
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
        way.add(metres: part.metres, ends: part.ends, meeting: meeting)
        add(part.times, part.box)
    }

    fileprivate mutating func add(
        _ other: ClosedRange<UnixTime>?,
        _ otherBox: ChunkSummary.Box?
    ) {
        if let otherBox { box = box?.union(otherBox) ?? otherBox }
        guard let other else { return }
        let (first, last) = (times?.lowerBound ?? other.lowerBound, times?.upperBound)
        times = min(first, other.lowerBound)...max(last ?? other.upperBound, other.upperBound)
    }
}
