import ProgramKit
import SyncCore

/// The x axis of a plot.
enum Abscissa: String, CaseIterable, Sendable {
    case time
    case distance

    /// Returns the x coordinate in Unix seconds or metres, or nil if it is unknown.
    func place(of progress: Trace.Progress) -> Double? {
        switch self {
        case .time: progress.time
        case .distance: progress.metres
        }
    }

    /// Chooses distance for walking, running, riding and skiing, and time for any other sport.
    init(sport: String?) { self = SportKind.isNamed(sport, by: Self.onTheWay) ? .distance : .time }

    private static let onTheWay = [
        "run", "jog", "walk", "hik", "mountain", "cycl", "bicycl", "bik", "rid", "ski", "skat",
    ]

    /// A gap lasts more than this multiple of the mean sampling interval, and at least a minute.
    private static let gapFactor = 5.0
    private static let shortestGapSeconds = 60.0

    /// Converts readings to polylines, broken at pauses, at gaps and where the time runs backwards.
    func lines(
        of readings: some Sequence<Trace.Reading>,
        value: (Double) -> Double?
    ) -> [[Plot.Point]] {
        let usual = Self.usualSeconds(between: readings)
        let gap = max(Self.shortestGapSeconds, Self.gapFactor * usual)
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
        let times = ClosedRange(of: readings.lazy.compactMap(\.progress.time))
        let count = readings.reduce(0.0) { count, _ in count + 1 }
        return (times?.length ?? 0) / max(count - 1, 1)
    }
}

extension Trace.Progress {
    /// Returns whether the line continues from `last` to this reading.
    fileprivate func follows(_ last: Trace.Progress?, within gapSeconds: Double) -> Bool {
        guard let last, last.part == part else { return false }
        guard let start = last.time, let end = time else { return true }
        return (0...gapSeconds).contains(end - start)
    }
}
