/// Iterates over the points of a track and assigns to them the readings of samples between them.
///
/// Formats that only know points would lose heel and heading measured between two fixes. Each
/// reading of a sample without a position goes to the nearest point in time, within one second,
/// that lacks the channel; a tie goes to the earlier point. Readings without such a point are
/// dropped. Samples are buffered for two seconds. If times jump or the buffer exceeds
/// ``windowLimit``, a reading only finds points that are still in the buffer.
package struct PointReadings {
    private var samples: SampleCursor
    private var isAtEnd = false
    /// Points that can no longer change, in order.
    private var ready: [Sample] = []
    private var readyIndex = 0
    /// Points that may still receive readings.
    private var held: [Sample] = []
    /// The number of points before the held ones.
    private var passedCount = 0
    /// Time and point index of the held points that have a time, ascending by time.
    private var timeline: [(time: Int64, index: Int)] = []
    /// Samples without a position whose nearest point may still come.
    private var waiting: [Sample] = []

    /// The most samples that are buffered.
    static let windowLimit = 4096
    private static let reachMilliseconds: Int64 = 1000
    /// Half the number of points examined for one sample, so that hostile times cost no more.
    private static let stepLimit = 32

    package init(of samples: SampleBatches) { self.samples = samples.cursor }

    /// Returns the next point in the order of the samples, or nil at the end.
    package mutating func next() throws -> Sample? {
        while readyIndex == ready.count {
            guard !isAtEnd else { return nil }
            ready.removeAll(keepingCapacity: true)
            readyIndex = 0
            if let sample = try samples.next() {
                take(sample)
            } else {
                isAtEnd = true
                spread(waiting.count)
                release(held.count)
            }
        }
        defer { readyIndex += 1 }
        return ready[readyIndex]
    }
}

/// Buffering.
extension PointReadings {
    private mutating func take(_ sample: Sample) {
        let time = sample.time?.milliseconds
        if let time { settle(at: time) }
        if !sample.isPoint {
            if time != nil { waiting.append(sample) }
        } else if time == nil, held.isEmpty {
            ready.append(sample)
            passedCount += 1
        } else {
            hold(sample, time)
        }
        guard held.count + waiting.count > Self.windowLimit else { return }
        spread(waiting.count)
        release(held.count / 2)
    }

    private mutating func hold(_ point: Sample, _ time: Int64?) {
        if let time {
            let entry = (time: time, index: passedCount + held.count)
            timeline.insert(entry, at: timeline.partitioningIndex { $0.time > time })
        }
        held.append(point)
    }

    /// Settles the buffered samples that no sample at `time` or later can affect.
    private mutating func settle(at time: Int64) {
        let reach = Self.reachMilliseconds
        spread(waiting.prefix { Self.isBeyond(reach, $0.time, time) }.count)
        release(held.prefix { Self.isBeyond(2 * reach, $0.time, time) }.count)
    }

    private static func isBeyond(_ reach: Int64, _ sample: UnixTime?, _ time: Int64) -> Bool {
        guard let sample else { return true }
        return distance(sample.milliseconds, time, within: reach) == nil
    }

    private mutating func spread(_ count: Int) {
        guard count > 0 else { return }
        for sample in waiting.prefix(count) { spread(sample) }
        waiting.removeFirst(count)
    }

    private mutating func release(_ count: Int) {
        guard count > 0 else { return }
        ready += held.prefix(count)
        held.removeFirst(count)
        passedCount += count
        timeline.removeAll { $0.index < passedCount }
    }
}

/// Assignment to the nearest point.
extension PointReadings {
    private mutating func spread(_ sample: Sample) {
        guard let time = sample.time?.milliseconds else { return }
        let nearest = nearestPoints(to: time).map { $0 - passedCount }
        for reading in sample.readings where reading.channel > .longitude {
            guard let index = nearest.first(where: { held[$0][count: reading.channel] == nil })
            else { continue }
            held[index][count: reading.channel] = reading.count
        }
    }

    /// Returns the indices of the points within reach, nearest first.
    private func nearestPoints(to time: Int64) -> [Int] {
        let reach = Self.reachMilliseconds
        var after = timeline.partitioningIndex { $0.time >= time }
        var before = after - 1
        var indices: [Int] = []
        for _ in 0..<2 * Self.stepLimit {
            let left = before >= 0 ? Self.distance(timeline[before].time, time, within: reach) : nil
            let right =
                after < timeline.count
                ? Self.distance(timeline[after].time, time, within: reach) : nil
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

    /// Returns the milliseconds between two times, or nil if they exceed `reach`.
    private static func distance(_ left: Int64, _ right: Int64, within reach: Int64) -> Int64? {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        guard !overflow, difference.magnitude <= reach.magnitude else { return nil }
        return abs(difference)
    }
}
