import ProgramKit
import SyncCore

/// How something went along a track, ready to be drawn.
struct Plot: Sendable {
    /// A place along the track (``Abscissa``) and a value in the unit of the plot.
    struct Point: Hashable, Sendable {
        let x: Double
        let y: Double
    }

    let quantity: Quantity
    /// What it is called: `speed, kn`.
    let title: String
    /// Lines between which there is a gap, in no more points than anybody could see.
    let lines: [[Point]]
    /// The values that are shown; what is beyond is drawn at the edge.
    let range: ClosedRange<Double>
    /// The value farthest beyond, as a person reads it; nil where all are shown.
    let spike: String?

    /// Draws what a trace tells of a quantity; nil where it tells nothing.
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

    /// Many times those of a page or a terminal, so that what they leave out looks the same.
    private static let columnLimit = 4096

    /// From the first to the last place of lines; 0 where there are none.
    static func range(of lines: [[Point]]) -> ClosedRange<Double> {
        guard let first = lines.first?.first else { return 0...0 }
        var range = first.x...first.x
        for point in lines.joined() { range.take(point.x) }
        return range
    }

    /// The axis of the values, with at most so many steps.
    func axis(count: Int) -> PlotAxis {
        quantity == .pace
            ? .paces(range, count: count) : .numbers(range, count: count, reaches: true)
    }

    /// Where a value lies from the bottom, 0, to the top, 1, of an axis.
    func height(_ value: Double, on axis: PlotAxis) -> Double {
        let part = min(max(axis.part(value), 0), 1)
        return quantity == .pace ? 1 - part : part
    }

    /// The value that is drawn for one: the nearest that is shown.
    func cut(_ value: Double) -> Double {
        min(max(value, range.lowerBound), range.upperBound)
    }
}

/// What is drawn along a track.
enum Quantity: String, CaseIterable, Sendable {
    case elevation
    case speed
    /// Time for a kilometre or mile, the fastest at the top.
    case pace
    case heartRate = "heart rate"
    case heel

    /// Those of a sport: a run has a pace, all others a speed.
    static func all(of sport: String?) -> [Quantity] {
        let words = (sport ?? "").lowercased().split { !$0.isLetter }
        let isRun = words.contains { $0.hasPrefix("run") || $0.hasPrefix("jog") }
        return allCases.filter { $0 != (isRun ? .speed : .pace) }
    }

    /// Where its readings come from.
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

    /// Who is slower stands.
    private static let slowestMetresPerSecond = 0.5

    /// A reading in the unit; nil where it says nothing.
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

    /// A plot of less would make waves of noise.
    fileprivate var leastSpan: Double {
        switch self {
        case .elevation: 20
        case .speed: 1
        case .pace: 60
        case .heartRate: 20
        case .heel: 10
        }
    }

    /// Whether 0 belongs to the plot.
    fileprivate var hasZero: Bool { self == .speed || self == .heel }
}

/// The values of some lines.
private struct Extent {
    private static let sampleLimit = 20_000
    private let sorted: [Double]
    private let all: ClosedRange<Double>

    init?(_ lines: [[Plot.Point]]) {
        guard let first = lines.first?.first?.y else { return nil }
        var all = first...first
        // Enough of them, evenly, to tell the percentiles.
        let stride = lines.reduce(0) { $0 + $1.count } / Self.sampleLimit + 1
        var some: [Double] = []
        for (index, point) in lines.joined().enumerated() {
            all.take(point.y)
            if index % stride == 0 { some.append(point.y) }
        }
        self.all = all
        sorted = some.sorted()
    }

    /// All values, but for spikes that would flatten the rest; and the value farthest beyond.
    ///
    /// One percent at either end is cut where it reaches farther beyond the rest than that is wide.
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

    /// A range of at least the span that a quantity needs, not below zero for its sake alone.
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
