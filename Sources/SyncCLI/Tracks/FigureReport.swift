import ProgramKit
import SyncCore

/// The figures of a track that `tracks show` prints.
struct FigureReport: Sendable {
    /// The data of a track that does not come from its samples.
    struct Source: Sendable {
        let sport: SportKind
        /// The laps as the device counted them.
        let laps: [ImportedTrack.Lap]
        /// The start with the track's local time.
        let start: TrackStart?
    }

    let source: Source
    let figures: TrackFigures
    let headings: HeadingReport
    let preferences: Preferences
    /// The split unit that the person asked for, or nil if none.
    let unit: Split.Unit?

    /// The split unit: as asked for, otherwise the default for the preferences and the sport.
    var splitUnit: Split.Unit {
        if let unit { return unit }
        if source.sport == .sail, preferences.speed == .knots { return .nauticalMile }
        return preferences.distance == .imperial ? .mile : .kilometre
    }

    /// The lines of the report; unknown figures have no value.
    var fields: [(label: String, value: String?)] {
        [
            ("moving", time), ("speed", speed), ("speeds", speeds), ("climb", climb),
            ("turns", manoeuvres), ("variation", headings.variationWords),
            ("heading", headings.words(preferences)),
        ]
    }

    private var time: String? {
        let totals = figures.totals
        guard totals.elapsedSeconds > 0 else { return nil }
        let parts = [("stopped", totals.stoppedSeconds), ("paused", totals.pausedSeconds)]
        return Elapsed.text(seconds: totals.movingSeconds)
            + parts.filter { $0.1 >= 1 }
            .map { "; \($0) \(Elapsed.text(seconds: $1))" }.joined()
    }

    private var speed: String? {
        let totals = figures.totals
        guard let moving = totals.movingSpeed else { return nil }
        let pace = source.sport == .foot ? "\(preferences.pace(moving)), " : ""
        let stops = totals.stoppedSeconds >= 1 ? ", \(preferences.speed(totals.meanSpeed))" : ""
        return "\(pace)\(preferences.speed(moving)) moving"
            + (stops.isEmpty ? "" : stops + " with stops")
    }

    private var speeds: String? {
        guard let greatest = figures.speeds.greatest else { return nil }
        let parts = zip(Self.shares, figures.speeds.percentiles(Self.shares)).map { share, speed in
            let value = preferences.speed.value(metresPerSecond: speed).fixed(1)
            return "\((share * 100).fixed(0)) % \(value), "
        }
        return parts.joined() + "max \(preferences.speed(greatest)) over 10 s"
    }

    private var climb: String? {
        metresClimbed.map { up, down in
            "\(preferences.distance.text(heightMetres: up)) up, "
                + "\(preferences.distance.text(heightMetres: down)) down"
        }
    }

    /// The ascent and descent, or nil for boats: on flat water the altitude is mere GNSS noise.
    private var metresClimbed: (up: Double, down: Double)? {
        [.sail, .paddles].contains(source.sport) ? nil : figures.climb.metres
    }

    private var manoeuvres: String? {
        guard let counts = figures.manoeuvres else { return nil }
        if counts.isKnown {
            return "\(counts.tacks.counted("tack")), \(counts.gybes.counted("gybe"))"
        }
        return source.sport == .sail ? "unknown: no wind data" : nil
    }

    static let shares = [0.5, 0.75, 0.9, 0.95]
}

/// JSON in metres, seconds, metres per second and degrees; unknown figures are null, never 0.
extension FigureReport {
    var json: JSON {
        let totals = figures.totals
        let climb = metresClimbed
        return .object([
            ("distance", .number(totals.metres, decimals: 1)),
            ("elapsed", .number(totals.elapsedSeconds, decimals: 3)),
            ("moving", .number(totals.movingSeconds, decimals: 3)),
            ("stopped", .number(totals.stoppedSeconds, decimals: 3)),
            ("paused", .number(totals.pausedSeconds, decimals: 3)),
            ("movingSpeed", .number(totals.movingSpeed, decimals: 3)),
            ("meanSpeed", .number(totals.meanSpeed, decimals: 3)),
            ("pace", .number(totals.movingSpeed.map { 1000 / $0 }, decimals: 1)),
            ("speeds", speedsJSON),
            ("ascent", .number(climb?.up, decimals: 1)),
            ("descent", .number(climb?.down, decimals: 1)),
            ("splits", splits),
            ("laps", laps),
            ("zones", zones),
            ("efforts", .array(figures.bestEfforts.map(Self.json))),
            ("tacks", count(\.tacks)),
            ("gybes", count(\.gybes)),
            ("variation", headings.variationJSON),
            ("heading", headings.json),
        ])
    }

    private var speedsJSON: JSON {
        let speeds = figures.speeds.percentiles(Self.shares)
        guard !speeds.isEmpty else { return .null }
        let members = zip(Self.shares, speeds).map { share, speed in
            ("p\((share * 100).fixed(0))", JSON.number(speed, decimals: 2))
        }
        return .object(members + [("max", .number(figures.speeds.greatest, decimals: 2))])
    }

    private var splits: JSON {
        let parts = figures.path.splits(every: splitUnit.metres).map { Self.json($0) }
        return .object([("unit", .text(splitUnit.rawValue)), ("parts", .array(parts))])
    }

    private var laps: JSON { .array(lapSpans.map { Self.json($0) }) }

    private static func json(_ span: Split?) -> JSON {
        .object([
            ("metres", .number(span?.metres, decimals: 1)),
            ("seconds", .number(span?.seconds, decimals: 1)),
        ])
    }

    private var zones: JSON {
        guard figures.heartRate.totalSeconds > 0 else { return .null }
        return .array(
            figures.heartRate.seconds.enumerated().map { zone, seconds -> JSON in
                let bottom = zone > 0 ? figures.heartRate.bottoms[zone - 1] : nil
                return .object([
                    ("from", bottom.map { JSON.integer($0) } ?? .null),
                    ("seconds", .number(seconds, decimals: 1)),
                ])
            }
        )
    }

    private func count(_ kind: KeyPath<Manoeuvres, Int>) -> JSON {
        guard let counts = figures.manoeuvres, counts.isKnown else { return .null }
        return .integer(counts[keyPath: kind])
    }

    private static func json(_ effort: BestEffort) -> JSON {
        .object([
            ("metres", .number(effort.metres, decimals: 3)),
            ("seconds", .number(effort.seconds, decimals: 1)),
            ("start", .time(effort.start)),
            ("startMetres", .number(effort.startMetres, decimals: 1)),
        ])
    }

    /// The figures over the spans of the device's laps, in the order of the laps.
    var lapSpans: [Split?] {
        source.laps.indices.map { index in
            let lap = source.laps[index]
            let next = index + 1 < source.laps.count ? source.laps[index + 1].start : nil
            let last = lap.milliseconds.map {
                UnixTime(
                    milliseconds: lap.start.milliseconds.addingReportingOverflow($0).partialValue
                )
            }
            guard let end = next ?? last else { return nil }
            return figures.path.span(from: lap.start, to: end)
        }
    }
}
