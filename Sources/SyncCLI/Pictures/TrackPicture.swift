import ProgramKit
import SyncCore

/// The contents of a track's picture: a map, and plots that share an x axis.
struct TrackPicture: Sendable {
    /// A mark on the map.
    struct Place: Sendable {
        let position: MapPlane.Position
        /// The note of a mark, or nil for an alarm; a track may have hundreds of alarms.
        let note: String?
    }

    let track: Track
    let preferences: Preferences
    /// The polylines of the track, one for each uninterrupted part.
    let lines: [[MapPlane.Position]]
    /// The marks with a known position.
    let marks: [Place]
    let plots: [Plot]
    let abscissa: Abscissa
    /// The x axis that the person asked for, or nil if none.
    private let wanted: Abscissa?
    /// The x range of all plots, in Unix seconds or metres.
    private let range: ClosedRange<Double>

    /// Creates the picture of a track.
    ///
    /// The x axis is the one asked for, otherwise the sport's default. If the track has no times or
    /// no distances for it, the other axis is used.
    init(
        of track: Track,
        _ trace: Trace,
        marks: [Mark],
        against wanted: Abscissa?,
        _ preferences: Preferences
    ) {
        let first = wanted ?? Abscissa(sport: track.sport)
        let found = ([first] + Abscissa.allCases.filter { $0 != first }).lazy
            .map { ($0, Plot.all(of: trace, against: $0, sport: track.sport, preferences)) }
            .first { !$0.1.isEmpty }
        (self.track, self.wanted) = (track, wanted)
        self.preferences = preferences
        lines = trace.lines
        self.marks = marks.compactMap { mark in
            trace.position(at: mark.time).map {
                Place(position: $0, note: mark.alarm == nil ? mark.text : nil)
            }
        }
        (abscissa, plots) = found ?? (first, [])
        range = Plot.range(of: plots.flatMap(\.lines))
    }

    var isEmpty: Bool { plots.isEmpty && lines.isEmpty }

    /// Prints a note if the plots are not drawn against the axis that the person asked for.
    func note(on output: Output) {
        guard let wanted, wanted != abscissa, !plots.isEmpty else { return }
        output.note("plotted against \(abscissa): this track has no \(wanted)")
    }

    /// Returns the x axis with at most `count` intervals.
    func axis(count: Int) -> PlotAxis {
        switch abscissa {
        case .time:
            .clock(range, count: count, offset: offset, isTwelveHour: preferences.isTwelveHour)
        case .distance:
            .numbers(range.lowerBound / unitMetres...range.upperBound / unitMetres, count: count)
                .converted { $0 * unitMetres }
        }
    }

    /// The unit of the x axis, or the UTC offset of its clock.
    var axisUnit: String {
        switch abscissa {
        case .time: offset?.description ?? "UTC"
        case .distance: unitMetres == 1 ? "m" : preferences.distance.longName
        }
    }

    private var offset: UTCOffset? { track.start.flatMap { $0.offset(at: $0.time) } }

    private var unitMetres: Double {
        preferences.distance == .metric && range.length < 2000 ? 1 : preferences.distance.longMetres
    }
}

extension Plot {
    /// Returns the plots of a track, or none if all readings share one x coordinate.
    fileprivate static func all(
        of trace: Trace,
        against abscissa: Abscissa,
        sport: String?,
        _ preferences: Preferences
    ) -> [Plot] {
        let plots = Quantity.all(of: sport).compactMap {
            Plot($0, of: trace, against: abscissa, preferences)
        }
        return range(of: plots.flatMap(\.lines)).length > 0 ? plots : []
    }
}
