import SyncCore

/// The names and times of what a track shows, in order.
struct SampleIndex: Sendable {
    /// One sample.
    struct Entry: Sendable {
        let name: SampleName
        let time: UnixTime?
        let isPoint: Bool
    }

    let entries: [Entry]

    /// Reads them.
    init(of track: Track, in library: Library) async throws {
        entries = try await library.replica.perform { replica in
            var entries: [Entry] = []
            try replica.forEachSample(of: track.id, in: library.space) { named in
                entries.append(
                    Entry(
                        name: named.name,
                        time: named.sample.time,
                        isPoint: named.sample.isPoint
                    )
                )
            }
            return entries
        }
    }

    /// The first sample at a time or after it.
    func first(from time: UnixTime) -> SampleName? {
        entries.first { $0.time.map { $0 >= time } ?? false }?.name
    }

    /// The first sample after a time.
    func first(after time: UnixTime) -> SampleName? {
        entries.first { $0.time.map { $0 > time } ?? false }?.name
    }

    /// Whether a sample is at a time or before it.
    func begins(before time: UnixTime) -> Bool {
        entries.contains { $0.time.map { $0 <= time } ?? false }
    }

    /// The first point at a time or after it.
    func firstPoint(from time: UnixTime) -> SampleName? {
        entries.first { $0.isPoint && $0.time.map { $0 >= time } ?? false }?.name
    }

    /// The samples between two times, both among them; nil where there are none.
    func range(_ times: ClosedRange<UnixTime>) -> SampleRange? {
        guard let start = first(from: times.lowerBound) else { return nil }
        let end = first(after: times.upperBound)
        return start == end ? nil : SampleRange(from: start, to: end)
    }

    /// The point nearest to a time, by itself.
    func point(at time: UnixTime) -> SampleRange? {
        let distance = { (entry: Entry) -> UInt64 in
            (entry.time?.milliseconds ?? .max).distanceMagnitude(to: time.milliseconds)
        }
        let nearest = entries.lazy.filter { $0.isPoint && $0.time != nil }.min {
            distance($0) < distance($1)
        }
        return nearest.map { SampleRange(from: $0.name, to: $0.name.next) }
    }

    /// The points before which nothing was recorded for so long.
    func points(afterGapsOf milliseconds: Int64) -> [SampleName] {
        let points = entries.filter { $0.isPoint && $0.time != nil }
        return zip(points, points.dropFirst()).compactMap { before, after in
            guard let end = before.time, let start = after.time, start > end else { return nil }
            let gap = start.milliseconds.distanceMagnitude(to: end.milliseconds)
            return gap >= UInt64(milliseconds) ? after.name : nil
        }
    }
}

extension Int64 {
    fileprivate func distanceMagnitude(to other: Int64) -> UInt64 {
        let (difference, isTooLong) = subtractingReportingOverflow(other)
        return isTooLong ? .max : difference.magnitude
    }
}
