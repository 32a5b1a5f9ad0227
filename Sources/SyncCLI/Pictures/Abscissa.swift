import ProgramKit

/// What a plot's readings are drawn against.
enum Abscissa: String, CaseIterable, Sendable {
    case time
    case distance

    /// Where a reading is drawn: Unix seconds or metres; nil where that is not known.
    func place(of progress: Trace.Progress) -> Double? {
        switch self {
        case .time: progress.time
        case .distance: progress.metres
        }
    }

    /// The usual one of a sport: who walks, runs, rides or skis thinks of the way, others of the
    /// clock.
    init(sport: String?) {
        let words = (sport ?? "").lowercased().split { !$0.isLetter }
        let isOnTheWay = Self.onTheWay.contains { stem in words.contains { $0.hasPrefix(stem) } }
        self = isOnTheWay ? .distance : .time
    }

    private static let onTheWay = [
        "run", "jog", "walk", "hik", "mountain", "cycl", "bicycl", "bik", "rid", "ski", "skat",
    ]

    /// So many times the usual time between two readings, and at least a minute, is a gap.
    private static let gapFactor = 5.0
    private static let shortestGapSeconds = 60.0

    /// Readings as lines between which there is a gap: a pause, a silence, or a time before the last.
    func lines(
        of readings: some Sequence<Trace.Reading>,
        value: (Double) -> Double?
    ) -> [[Plot.Point]] {
        let gap = max(
            Self.shortestGapSeconds,
            Self.gapFactor * Self.usualSeconds(between: readings)
        )
        var lines: [[Plot.Point]] = []
        var last: Trace.Progress?
        for reading in readings {
            guard let x = place(of: reading.progress), let y = value(reading.value), y.isFinite
            else {
                last = nil
                continue
            }
            if !reading.progress.follows(last, within: gap) { lines.append([]) }
            last = reading.progress
            lines[lines.count - 1].append(Plot.Point(x: x, y: y))
        }
        return lines
    }

    private static func usualSeconds(between readings: some Sequence<Trace.Reading>) -> Double {
        var times: ClosedRange<Double>?
        var count = 0.0
        for reading in readings {
            count += 1
            guard let time = reading.progress.time else { continue }
            times = min(times?.lowerBound ?? time, time)...max(times?.upperBound ?? time, time)
        }
        return (times?.length ?? 0) / max(count - 1, 1)
    }
}

extension Trace.Progress {
    /// Whether a line goes on from another reading to this.
    fileprivate func follows(_ last: Trace.Progress?, within gapSeconds: Double) -> Bool {
        guard let last, last.part == part else { return false }
        guard let start = last.time, let end = time else { return true }
        return (0...gapSeconds).contains(end - start)
    }
}
