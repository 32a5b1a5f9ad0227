/// The points among samples, with the readings of the samples between them.
///
/// Formats that know only points would lose the heel and heading that came between two fixes. So
/// each reading of a sample without a position goes to the nearest point in time, within a second,
/// that lacks the channel; among equally near ones to the earlier. What finds no place is left out.
package struct PointReadings {
    /// The points in their order.
    package private(set) var points: [Sample]
    /// Time and index of the points that have a time, ascending.
    private var timeline: [(time: Int64, index: Int)] = []

    private static let reachMilliseconds: Int64 = 1000
    /// How many points are looked at on each side, so that hostile times cost no more.
    private static let stepLimit = 32

    /// Spreads the readings of `samples`.
    package init(of samples: [Sample]) {
        points = samples.filter(\.isPoint)
        guard points.count < samples.count else { return }
        for (index, point) in points.enumerated() {
            guard let time = point.time?.milliseconds else { continue }
            timeline.append((time, index))
        }
        timeline.sort { ($0.time, $0.index) < ($1.time, $1.index) }
        for sample in samples where !sample.isPoint { spread(sample) }
    }

    private mutating func spread(_ sample: Sample) {
        guard let time = sample.time?.milliseconds else { return }
        let nearest = nearestPoints(to: time)
        for reading in sample.readings where reading.channel > .longitude {
            guard let index = nearest.first(where: { points[$0][count: reading.channel] == nil })
            else { continue }
            points[index][count: reading.channel] = reading.count
        }
    }

    /// Indices of the points in reach, nearest first.
    private func nearestPoints(to time: Int64) -> [Int] {
        var after = timeline.partitioningIndex { $0.time >= time }
        var before = after - 1
        var indices: [Int] = []
        for _ in 0..<2 * Self.stepLimit {
            let left = before >= 0 ? distance(timeline[before].time, time) : nil
            let right = after < timeline.count ? distance(timeline[after].time, time) : nil
            guard left != nil || right != nil else { break }
            if right.map({ right in left.map { $0 <= right } ?? false }) ?? true {
                indices.append(timeline[before].index)
                before -= 1
            } else {
                indices.append(timeline[after].index)
                after += 1
            }
        }
        return indices
    }

    /// Milliseconds between two times; nil when out of reach.
    private func distance(_ left: Int64, _ right: Int64) -> Int64? {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        guard !overflow, difference.magnitude <= Self.reachMilliseconds.magnitude else {
            return nil
        }
        return abs(difference)
    }
}

extension Array {
    /// The first index whose element satisfies `predicate`, in an array that it partitions.
    func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
