import ProgramKit
import SyncCore

/// The tables of a track: splits, laps, best efforts and heart-rate zones.
struct FigureTables: Sendable {
    /// The maximum number of splits if no unit was asked for; longer tracks get longer splits.
    private static let longestTable = 20
    private static let barWidth = 30

    let report: FigureReport
    private var preferences: Preferences { report.preferences }
    private var isOnFoot: Bool { report.source.sport == .foot }

    /// Prints the tables that have rows.
    func show(on output: Output) {
        for table in [splits, laps, efforts, zones] where !table.rows.isEmpty {
            output.line()
            output.table(table)
        }
    }

    private var rateTitle: String { isOnFoot ? "pace" : "speed" }

    private func rate(_ metres: Double, _ seconds: Double?) -> String {
        let speed = seconds.flatMap { $0 > 0 ? metres / $0 : nil }
        return isOnFoot ? preferences.pace(speed) : preferences.speed(speed)
    }

    private func time(_ seconds: Double?) -> String {
        seconds.map(Elapsed.text(seconds:)) ?? "–"
    }

    private var splits: Table {
        let unit = report.splitUnit
        var count = 1.0
        // Grows the split along 1, 2, 5, 10 … units; a unit that was asked for stays as it is.
        for step in [2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2] where report.unit == nil {
            let parts = report.figures.totals.metres / (unit.metres * count)
            if parts > Double(Self.longestTable) { count *= step }
        }
        let parts = report.figures.path.splits(every: unit.metres * count)
        let rows =
            parts.count < 2 && report.unit == nil
            ? []
            : parts.enumerated().map { index, split -> [String] in
                let end = Double(index) * count + split.metres / unit.metres
                let isWhole = split.metres >= unit.metres * count - 0.001
                return [
                    end.fixed(isWhole ? 0 : 2), time(split.seconds),
                    rate(split.metres, split.seconds),
                ]
            }
        return Table(
            columns: [.right("to \(unit.rawValue)"), .right("time"), .right(rateTitle)],
            rows: rows
        )
    }

    private var laps: Table {
        let laps = report.source.laps
        let rows =
            laps.count < 2
            ? []
            : zip(laps, report.lapSpans).enumerated().map { index, lap in
                [
                    String(index + 1), time(lap.0.milliseconds.map { Double($0) / 1000 }),
                    preferences.distance(lap.0.centimetres.map { Double($0) / 100 }),
                    time(lap.1?.seconds), preferences.distance(lap.1?.metres),
                    lap.1.map { rate($0.metres, $0.seconds) } ?? "–",
                ]
            }
        return Table(
            columns: [
                .right("lap"), .right("device"), .right(""), .right("computed"), .right(""),
                .right(rateTitle),
            ],
            rows: rows
        )
    }

    private var efforts: Table {
        let rows = report.figures.bestEfforts.map { effort in
            [
                Self.name(effort.metres), time(effort.seconds),
                rate(effort.metres, effort.seconds),
                preferences.time(effort.start, of: report.source.start),
                preferences.distance(effort.startMetres),
            ]
        }
        return Table(
            columns: [
                .left("best"), .right("time"), .right(rateTitle), .left("start"), .right("at"),
            ],
            rows: rows
        )
    }

    private static func name(_ metres: Double) -> String {
        switch metres {
        case 1609.344: "1 mile"
        case 21_097.5: "half marathon"
        case 42_195: "marathon"
        case 1000...: "\((metres / 1000).fixed(0)) km"
        default: "\(metres.fixed(0)) m"
        }
    }

    private var zones: Table {
        let heartRate = report.figures.heartRate
        let total = heartRate.totalSeconds
        let rows =
            total == 0
            ? []
            : heartRate.seconds.enumerated().map { zone, seconds -> [String] in
                let share = seconds / total
                return [
                    zone == 0 ? "warm up" : "zone \(zone)",
                    zone == 0 ? "" : "\(heartRate.bottoms[zone - 1]) bpm",
                    time(seconds), "\((share * 100).fixed(0)) %",
                    String(repeating: "█", count: Int((share * Double(Self.barWidth)).rounded())),
                ]
            }
        return Table(
            columns: [
                .left("heart rate"), .right("from"), .right("time"), .right("share"), .left(""),
            ],
            rows: rows
        )
    }
}
