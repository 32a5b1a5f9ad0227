import SyncCore

/// Finds samples of a track by their times, and reads no more of it than that takes.
struct SampleIndex: Sendable {
    let track: Track
    let library: Library
    private let edits: [Edit]

    /// The samples that a track shows, or would show after edits of its row.
    init(of track: Track, after edits: [Edit] = [], in library: Library) {
        (self.track, self.edits, self.library) = (track, edits, library)
    }

    /// The first sample at a time or after it.
    func first(from time: UnixTime) async throws -> SampleName? {
        try await first(in: time...UnixTime.end) { _ in true }
    }

    /// The first sample after a time.
    func first(after time: UnixTime) async throws -> SampleName? {
        try await first(in: time...UnixTime.end) { $0.time != time }
    }

    /// Whether a sample is at a time or before it.
    func begins(before time: UnixTime) async throws -> Bool {
        try await first(in: UnixTime.beginning...time) { _ in true } != nil
    }

    /// The first point at a time or after it, without those that are flagged where others follow: a
    /// way that ends at one of them would be no track's.
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

    /// The samples between two times, both among them; nil where there are none.
    func range(_ times: ClosedRange<UnixTime>) async throws -> SampleRange? {
        guard let start = try await first(from: times.lowerBound) else { return nil }
        let end = try await first(after: times.upperBound)
        return start == end ? nil : SampleRange(from: start, to: end)
    }

    /// The point nearest to a time, by itself; of two that are as near the first.
    func point(at time: UnixTime) async throws -> SampleRange? {
        try await library.replica.read { replica in
            let batches = try batches(replica)
                .map { ($0, $0.times?.distanceMilliseconds(to: time) ?? 0) }
            var nearest: (name: SampleName, distance: UInt64, batch: Int)?
            // The nearest first: most of the others lie farther away as a whole.
            for (index, (batch, least)) in batches.enumerated().sorted(by: { $0.1.1 < $1.1.1 })
            where least <= nearest?.distance ?? .max {
                try batch.forEach { named in
                    guard named.sample.isPoint, let here = named.sample.time else { return }
                    let distance = (here...here).distanceMilliseconds(to: time)
                    if nearest.map({ (distance, index) < ($0.distance, $0.batch) }) ?? true {
                        nearest = (named.name, distance, index)
                    }
                }
            }
            return nearest.map { SampleRange(from: $0.name, to: $0.name.next) }
        }
    }

    /// The name after the last sample; nil where there is none.
    func end() async throws -> SampleName? {
        try await library.replica.read { replica in
            try batches(replica).last?.end
        }
    }

    /// The points before which nothing was recorded for so long.
    func points(afterGapsOf milliseconds: Int64) async throws -> [SampleName] {
        try await library.replica.read { replica in
            var names: [SampleName] = []
            var last: UnixTime?
            try replica.editing.forEachSample(of: track.id, in: library.space) { named in
                guard named.sample.isPoint, let time = named.sample.time else { return }
                defer { last = time }
                guard let last, time > last else { return }
                if (last...last).distanceMilliseconds(to: time) >= UInt64(milliseconds) {
                    names.append(named.name)
                }
            }
            return names
        }
    }

    /// The first sample.
    func start() async throws -> SampleName? {
        try await library.replica.read { try batches($0).first?.first }
    }

    /// From the first time to the last; nil where no sample has one.
    func times() async throws -> ClosedRange<UnixTime>? {
        try await library.replica.read { replica in
            let batches = try batches(replica)
            let (first, last) = (try batches.firstTime(), try batches.reversed().lastTime())
            guard let first, let last, first <= last else { return nil }
            return first...last
        }
    }

    private func batches(_ replica: ReplicaParts) throws -> [NamedBatch] {
        try replica.editing.namedBatches(of: track.id, after: edits, in: library.space)
    }

    /// The first sample of a time among some for which something holds.
    private func first(
        in range: ClosedRange<UnixTime>,
        where holds: @Sendable (Sample) -> Bool
    ) async throws -> SampleName? {
        try await library.replica.read { replica in
            for batch in try batches(replica)
            where batch.times?.overlaps(range) ?? true {
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
    /// The first point of a time among some that is not flagged, and the first at all.
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
    /// The time of the first sample that has one.
    fileprivate func firstTime() throws -> UnixTime? {
        for batch in self {
            var found: UnixTime?
            try batch.forEach { found = found ?? $0.sample.time }
            if let found { return found }
        }
        return nil
    }

    /// The time of the last sample that has one, of the first batch where one has.
    fileprivate func lastTime() throws -> UnixTime? {
        for batch in self {
            var found: UnixTime?
            try batch.forEach { found = $0.sample.time ?? found }
            if let found { return found }
        }
        return nil
    }
}

extension ClosedRange<UnixTime> {
    /// How far an instant is from the nearest of these; the greatest number where that is too far to tell.
    func distanceMilliseconds(to time: UnixTime) -> UInt64 {
        let nearest = Swift.min(Swift.max(time, lowerBound), upperBound)
        let (distance, isTooLong) = nearest.milliseconds
            .subtractingReportingOverflow(time.milliseconds)
        return isTooLong ? .max : distance.magnitude
    }
}

extension UnixTime {
    fileprivate static let beginning = UnixTime(milliseconds: .min)
    fileprivate static let end = UnixTime(milliseconds: .max)
}
