import ProgramKit
import SyncCore

/// The values of a quantity along a track, ready to draw.
struct Plot: Sendable {
    /// A point with x in the unit of the ``Abscissa`` and y in the unit of the plot.
    struct Point: Hashable, Sendable {
        let x: Double
        let y: Double
    }

    let quantity: Quantity
    /// The name and unit, such as `speed, kn`.
    let title: String
    /// Polylines separated by gaps, thinned to the resolution that is visible.
    let lines: [[Point]]
    /// The range of values that is shown; values outside are drawn at its edge.
    let range: ClosedRange<Double>
    /// The most extreme value outside `range` as text, or nil if all values are shown.
    let spike: String?

    /// Plots a quantity of a trace, or returns nil if the trace has no value of it.
    init?(
        _ quantity: Quantity,
        of trace: Trace,
        against abscissa: Abscissa,
        _ preferences: Preferences
    ) {
        let unit = quantity.unit(preferences)
        let whole = abscissa.lines(of: trace.readings(of: quantity.channel)) {
            quantity.value($0, preferences)
        }
        guard let extent = Extent(whole) else { return nil }
        let range = Self.range(of: whole)
        lines = whole.map { $0.thinned(to: Self.columnLimit, of: range) }
        let shown = extent.shown(quantity)
        self.quantity = quantity
        title = "\(quantity.rawValue), \(unit)"
        self.range = shown.range
        spike = shown.cut.map { quantity.text($0) }
    }

    /// The resolution of thinning, well above that of any page or terminal, so it stays invisible.
    private static let columnLimit = 4096

    /// Returns the range of x coordinates, or 0...0 if there are none.
    static func range(of lines: [[Point]]) -> ClosedRange<Double> {
        ClosedRange(of: lines.joined().lazy.map(\.x)) ?? 0...0
    }

    /// Returns the y axis with at most `count` intervals.
    func axis(count: Int) -> PlotAxis {
        quantity == .pace
            ? .paces(range, count: count) : .numbers(range, count: count, reaches: true)
    }

    /// Returns the height of a value on an axis, from 0 at the bottom to 1 at the top.
    func height(_ value: Double, on axis: PlotAxis) -> Double {
        let part = min(max(axis.part(value), 0), 1)
        return quantity == .pace ? 1 - part : part
    }

    /// Clamps a value to the range that is shown.
    func cut(_ value: Double) -> Double { min(max(value, range.lowerBound), range.upperBound) }
}

/// A quantity that can be plotted along a track.
enum Quantity: String, CaseIterable, Sendable {
    case elevation
    case speed
    /// Time per kilometre or mile, with the fastest at the top.
    case pace
    case heartRate = "heart rate"
    case heel

    /// Returns the quantities to plot for a sport: pace for running, speed for all others.
    static func all(of sport: String?) -> [Quantity] {
        let isRun = SportKind.isNamed(sport, by: ["run", "jog"])
        return allCases.filter { $0 != (isRun ? .speed : .pace) }
    }

    /// The channel that holds the readings.
    var channel: Channel {
        switch self {
        case .elevation: .altitude
        case .speed, .pace: .speed
        case .heartRate: .heartRate
        case .heel: .heel
        }
    }

    fileprivate func unit(_ preferences: Preferences) -> String {
        switch self {
        case .elevation: preferences.distance.heightName
        case .speed: preferences.speed.rawValue
        case .pace: "min/\(preferences.distance.longName)"
        case .heartRate: "bpm"
        case .heel: "degrees"
        }
    }

    /// Below this speed the person stands, and a pace has no meaning.
    private static let slowestMetresPerSecond = 0.5

    /// Returns a reading in the display unit, or nil if it is not meaningful.
    fileprivate func value(_ reading: Double, _ preferences: Preferences) -> Double? {
        switch self {
        case .elevation: reading / preferences.distance.heightMetres
        case .speed: preferences.speed.value(metresPerSecond: reading)
        case .pace:
            reading < Self.slowestMetresPerSecond ? nil : preferences.distance.longMetres / reading
        case .heartRate: reading > 0 ? reading : nil
        case .heel: reading
        }
    }

    fileprivate func text(_ value: Double) -> String {
        switch self {
        case .pace: Elapsed.text(milliseconds: Int64(value * 1000))
        case .speed, .heel: value.fixed(1)
        case .elevation, .heartRate: value.fixed(0)
        }
    }

    /// The minimum span of the y axis, in the display unit: a smaller one would magnify noise.
    fileprivate var leastSpan: Double {
        switch self {
        case .elevation: 20
        case .speed: 1
        case .pace: 60
        case .heartRate: 20
        case .heel: 10
        }
    }

    /// Whether the y axis must include 0.
    fileprivate var hasZero: Bool { self == .speed || self == .heel }
}

/// The range and the percentiles of plotted values.
private struct Extent {
    private static let sampleLimit = 20_000
    private let sorted: [Double]
    private let all: ClosedRange<Double>

    init?(_ lines: [[Plot.Point]]) {
        guard let all = ClosedRange(of: lines.joined().lazy.map(\.y)) else { return nil }
        self.all = all
        // An evenly spaced subset is enough for percentiles.
        let spacing = lines.reduce(0) { $0 + $1.count } / Self.sampleLimit + 1
        sorted = lines.joined().enumerated().filter { $0.offset % spacing == 0 }
            .map(\.element.y).sorted()
    }

    /// Returns the range to show and the most extreme outlier, if outliers are cut.
    ///
    /// Cuts the outermost 1 % of values at an end if they reach farther beyond the remaining range
    /// than that range is wide.
    func shown(_ quantity: Quantity) -> (range: ClosedRange<Double>, cut: Double?) {
        let last = Double(sorted.count - 1)
        let low = sorted[Int((last * Self.cutPart).rounded(.up))]
        let high = sorted[Int((last * (1 - Self.cutPart)).rounded(.down))]
        guard low <= high else { return (widened(all, quantity), nil) }
        let room = max(high - low, quantity.leastSpan)
        let isCutAbove = all.upperBound > high + room
        let isCutBelow = all.lowerBound < low - room
        let range = (isCutBelow ? low : all.lowerBound)...(isCutAbove ? high : all.upperBound)
        let cut = isCutAbove ? all.upperBound : isCutBelow ? all.lowerBound : nil
        return (widened(range, quantity), cut)
    }

    private static let cutPart = 0.01

    /// Widens a range to the quantity's minimum span, without extending it below zero.
    private func widened(
        _ range: ClosedRange<Double>,
        _ quantity: Quantity
    ) -> ClosedRange<Double> {
        var range = range
        if quantity.hasZero { range.take(0) }
        let lacking = max(0, quantity.leastSpan - range.length)
        let below = range.lowerBound >= 0 ? min(lacking / 2, range.lowerBound) : lacking / 2
        return range.lowerBound - below...range.upperBound + lacking - below
    }
}
