import ProgramKit
import SyncCore

/// What is drawn of a track, in a terminal or on a page: a map, and plots below it that share an axis.
struct TrackPicture: Sendable {
    /// Something that happened somewhere.
    struct Place: Sendable {
        let position: MapPlane.Position
        /// What a person wrote; nil for an alarm, of which there may be hundreds.
        let note: String?
    }

    let track: Track
    let preferences: Preferences
    /// The way, interrupted where the recording was.
    let lines: [[MapPlane.Position]]
    /// The marks whose place is known.
    let marks: [Place]
    let plots: [Plot]
    /// What the plots are drawn against.
    let abscissa: Abscissa
    /// What they should be; nil where nobody said.
    private let wanted: Abscissa?
    /// From the first to the last that is plotted: Unix seconds, or metres.
    private let range: ClosedRange<Double>

    /// Makes the pictures of a track from what was told on the way.
    ///
    /// Against what a person asked for, else what is usual for the sport; where there are no times,
    /// or no way, against the other.
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

    /// Whether there is nothing to draw.
    var isEmpty: Bool { plots.isEmpty && lines.isEmpty }

    /// Tells where the plots are drawn against something else than a person asked for.
    func note(on output: Output) {
        guard let wanted, wanted != abscissa, !plots.isEmpty else { return }
        output.note("plotted against \(abscissa): this track has no \(wanted)")
    }

    /// The axis below the plots, with at most so many steps.
    func axis(count: Int) -> PlotAxis {
        switch abscissa {
        case .time:
            .clock(
                range,
                count: count,
                offset: offset,
                isTwelveHour: preferences.isTwelveHour
            )
        case .distance:
            .numbers(range.lowerBound / unitMetres...range.upperBound / unitMetres, count: count)
                .scaled(by: unitMetres)
        }
    }

    /// What the axis counts: `km`, or whose clock it shows.
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
    /// All plots of a track that are more than a moment long.
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
