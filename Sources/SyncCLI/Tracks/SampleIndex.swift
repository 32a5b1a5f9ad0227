import SyncCore

/// Finds samples of a track by time and reads only the batches that it needs.
struct SampleIndex: Sendable {
    let track: Track
    let library: Library
    private let edits: [Edit]

    /// Indexes the samples that a track shows, or would show after `edits`.
    init(of track: Track, after edits: [Edit] = [], in library: Library) {
        (self.track, self.edits, self.library) = (track, edits, library)
    }

    func first(from time: UnixTime) async throws -> SampleName? {
        try await first(in: time...UnixTime.end) { _ in true }
    }

    func first(after time: UnixTime) async throws -> SampleName? {
        try await first(in: time...UnixTime.end) { $0.time != time }
    }

    /// Returns whether a sample is at or before a time.
    func begins(before time: UnixTime) async throws -> Bool {
        try await first(in: UnixTime.beginning...time) { _ in true } != nil
    }

    /// Returns the first point at or after a time, preferring points that the filter does not flag.
    ///
    /// Flagged fixes are not counted, so a part that ends at one would end at no visible point.
    func firstPoint(from time: UnixTime) async throws -> SampleName? {
        let range = time...UnixTime.end
        return try await library.replica.read { replica in
            let rule = try replica.tracks.rule(of: track.id, in: library.space)
            var first: SampleName?
            for batch in try batches(replica) where batch.times?.overlaps(range) ?? true {
                let found = try batch.firstPoint(in: range, by: rule)
                if let believed = found.believed { return believed }
                first = first ?? found.any
            }
            return first
        }
    }

    /// Returns the samples between two times, both inclusive, or nil if there are none.
    func range(_ times: ClosedRange<UnixTime>) async throws -> SampleRange? {
        guard let start = try await first(from: times.lowerBound) else { return nil }
        let end = try await first(after: times.upperBound)
        return start == end ? nil : SampleRange(from: start, to: end)
    }

    /// Returns the point nearest to a time as a range of one sample; ties go to the earlier sample.
    func point(at time: UnixTime) async throws -> SampleRange? {
        try await library.replica.read { replica in
            let batches = try batches(replica)
                .map { ($0, $0.times?.distanceMilliseconds(to: time) ?? 0) }
            var nearest: (name: SampleName, distance: UInt64, batch: Int)?
            // With the nearest batch first, most others are too far away to be read.
            for (index, (batch, least)) in batches.enumerated().sorted(by: { $0.1.1 < $1.1.1 })
            where least <= nearest?.distance ?? .max {
                try batch.forEach { named in
                    guard named.sample.isPoint, let here = named.sample.time else { return }
                    let distance = here.distanceMilliseconds(to: time)
                    if nearest.map({ (distance, index) < ($0.distance, $0.batch) }) ?? true {
                        nearest = (named.name, distance, index)
                    }
                }
            }
            return nearest.map { SampleRange(from: $0.name, to: $0.name.next) }
        }
    }

    /// Returns the name after the last sample, or nil if there are no samples.
    func end() async throws -> SampleName? {
        try await library.replica.read { try batches($0).last?.end }
    }

    /// Returns the points that follow a gap of at least `milliseconds` between points.
    func points(afterGapsOf milliseconds: Int64) async throws -> [SampleName] {
        try await library.replica.read { replica in
            var names: [SampleName] = []
            var last: UnixTime?
            try replica.editing.forEachSample(of: track.id, in: library.space) { named in
                guard named.sample.isPoint, let time = named.sample.time else { return }
                defer { last = time }
                guard let last, time > last else { return }
                if last.distanceMilliseconds(to: time) >= UInt64(milliseconds) {
                    names.append(named.name)
                }
            }
            return names
        }
    }

    func start() async throws -> SampleName? {
        try await library.replica.read { try batches($0).first?.first }
    }

    /// Returns the first and last time, or nil if no sample has a time.
    func times() async throws -> ClosedRange<UnixTime>? {
        try await library.replica.read { replica in
            let batches = try batches(replica)
            guard let first = try batches.time({ $0 ?? $1 }),
                let last = try batches.reversed().time({ $1 ?? $0 }), first <= last
            else { return nil }
            return first...last
        }
    }

    private func batches(_ replica: ReplicaParts) throws -> [NamedBatch] {
        try replica.editing.namedBatches(of: track.id, after: edits, in: library.space)
    }

    /// Returns the first sample within a time range that satisfies a predicate.
    private func first(
        in range: ClosedRange<UnixTime>,
        where holds: @Sendable (Sample) -> Bool
    ) async throws -> SampleName? {
        try await library.replica.read { replica in
            for batch in try batches(replica) where batch.times?.overlaps(range) ?? true {
                var found: SampleName?
                try batch.forEach { named in
                    guard found == nil, let time = named.sample.time else { return }
                    if range.contains(time), holds(named.sample) { found = named.name }
                }
                if let found { return found }
            }
            return nil
        }
    }
}

extension NamedBatch {
    /// Returns the first unflagged point within a time range, and the first point at all.
    fileprivate func firstPoint(
        in range: ClosedRange<UnixTime>,
        by rule: FixRule
    ) throws -> (believed: SampleName?, any: SampleName?) {
        var filter = FixFilter(rule)
        var names: [SampleName?] = []
        var believed: SampleName?
        func judge() {
            while let judged = filter.next() {
                if judged.flag == nil { believed = believed ?? names[judged.index] }
            }
        }
        try forEach { named in
            guard believed == nil, named.sample.isPoint else { return }
            let isWithin = named.sample.time.map(range.contains) ?? false
            names.append(isWithin ? named.name : nil)
            filter.add(named.sample)
            judge()
        }
        filter.end()
        judge()
        return (believed, names.lazy.compactMap { $0 }.first)
    }
}

extension Sequence<NamedBatch> {
    /// Returns the time that `choose` keeps of those of the first batch that has any.
    fileprivate func time(
        _ choose: (_ kept: UnixTime?, _ next: UnixTime?) -> UnixTime?
    ) throws -> UnixTime? {
        for batch in self {
            var kept: UnixTime?
            try batch.forEach { kept = choose(kept, $0.sample.time) }
            if let kept { return kept }
        }
        return nil
    }
}

extension ClosedRange<UnixTime> {
    /// Returns the distance to the nearest instant of the range, or `UInt64.max` on overflow.
    func distanceMilliseconds(to time: UnixTime) -> UInt64 {
        Swift.min(Swift.max(time, lowerBound), upperBound).distanceMilliseconds(to: time)
    }
}

extension UnixTime {
    fileprivate static let beginning = UnixTime(milliseconds: .min)
    fileprivate static let end = UnixTime(milliseconds: .max)
}
