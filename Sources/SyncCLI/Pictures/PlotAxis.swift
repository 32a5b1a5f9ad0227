internal import Glibc
import ProgramKit
import SyncCore

/// A range of values with ticks at round numbers.
struct PlotAxis: Sendable {
    struct Tick: Sendable {
        let value: Double
        let label: String
    }

    /// The range that is shown; it may extend beyond the values to the next tick.
    let range: ClosedRange<Double>
    /// The ticks in ascending order.
    let ticks: [Tick]

    /// Returns the position of a value: 0 at the lower end, 1 at the upper end.
    func part(_ value: Double) -> Double { (value - range.lowerBound) / range.length }

    /// Converts range and tick values and keeps the labels.
    func converted(by convert: (Double) -> Double) -> PlotAxis {
        PlotAxis(
            range: convert(range.lowerBound)...convert(range.upperBound),
            ticks: ticks.map { Tick(value: convert($0.value), label: $0.label) }
        )
    }
}

extension PlotAxis {
    /// Returns an axis of at most `count` intervals; `reaches` extends it to the outer ticks.
    static func numbers(
        _ range: ClosedRange<Double>,
        count: Int,
        reaches: Bool = false
    ) -> PlotAxis {
        let range = range.opened()
        let least = log10(range.length / Double(max(count, 1))).rounded(.down)
        let steps = (0..<12).lazy.map { [1, 2, 5][$0 % 3] * pow(10, least + Double($0 / 3)) }
        return PlotAxis(range, count: count, reaches: reaches, among: steps) { value, step in
            value.fixed(max(0, Int(-log10(step).rounded(.down))))
        }
    }

    /// Returns an axis labelled as on charts, `52°50.5′N`; `letters` are those for plus and minus.
    static func degrees(
        _ range: ClosedRange<Double>,
        count: Int,
        letters: (String, String)
    ) -> PlotAxis {
        let minutes = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30]
        let steps = minutes.map { $0 / 60 } + [1, 2, 5, 10, 15, 30, 45]
        return PlotAxis(range.opened(), count: count, among: steps) { value, step in
            let decimals = max(0, Int((-log10(step * 60) - 1e-9).rounded(.up)))
            // A range across the antimeridian continues beyond 180 degrees.
            let value = value > 180 ? value - 360 : value
            let unit = pow(10, Double(decimals)) * 60
            let (degrees, rest) = Int64((abs(value) * unit).rounded())
                .quotientAndRemainder(dividingBy: Int64(unit))
            let letter = value < 0 ? letters.1 : letters.0
            let minutes = (Double(rest) / unit * 60).fixed(decimals)
            let padding = minutes.prefix { $0 != "." }.count < 2 ? "0" : ""
            return step >= 1 ? "\(degrees)°\(letter)" : "\(degrees)°\(padding)\(minutes)′\(letter)"
        }
    }

    /// Returns an axis of seconds, labelled in minutes and seconds: `5:30`.
    static func paces(_ range: ClosedRange<Double>, count: Int) -> PlotAxis {
        let steps = [5.0, 10, 15, 30, 60, 120, 300, 600]
        return PlotAxis(range.opened(), count: count, reaches: true, among: steps) { seconds, _ in
            Elapsed.text(milliseconds: Int64(seconds * 1000))
        }
    }

    private static let day = 86_400.0
    private static let clockSteps: [Double] =
        [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200]
        + [1.0, 10, 100, 1000, 10_000, 100_000, 1_000_000].flatMap { tens in
            [1, 2, 5].map { $0 * tens * day }
        }

    /// Returns an axis of Unix seconds, labelled in the track's local time (`10:30`) or with dates.
    static func clock(
        _ range: ClosedRange<Double>,
        count: Int,
        offset: UTCOffset?,
        isTwelveHour: Bool
    ) -> PlotAxis {
        let shift = Double(offset?.minutes ?? 0) * 60
        let local = (range.lowerBound + shift...range.upperBound + shift).opened(by: 1)
        let axis = PlotAxis(local, count: count, among: clockSteps) { seconds, step in
            let time = CalendarTime(UnixTime(milliseconds: Int64(seconds * 1000)))
            if step >= day { return time.date }
            return time.clock(isTwelveHour: isTwelveHour, hasSeconds: step < 60)
        }
        return axis.converted { $0 - shift }
    }

    private init(
        _ range: ClosedRange<Double>,
        count: Int,
        reaches: Bool = false,
        among steps: some Sequence<Double>,
        label: (_ value: Double, _ step: Double) -> String
    ) {
        let step = range.step(count: count, reaches: reaches, among: steps)
        let (first, last) = range.ends(step: step, reaches: reaches)
        // If the step is below the precision of Double, the axis gets no ticks.
        let tickCount = last - first < 100 ? max(0, Int(last - first) + 1) : 0
        ticks = (0..<tickCount).map { index in
            let value = (first + Double(index)) * step
            return Tick(value: value, label: label(value, step))
        }
        self.range = reaches ? first * step...max(last, first + 1) * step : range
    }
}

extension ClosedRange<Double> {
    /// Returns the range, extended on both sides by `least` if it is narrower than that.
    fileprivate func opened(by least: Double? = nil) -> ClosedRange<Double> {
        let least = least ?? Swift.max(abs(upperBound), 1) * 1e-6
        return length >= least ? self : lowerBound - least...upperBound + least
    }

    /// Returns the smallest step that needs at most `count` intervals, or the whole length.
    fileprivate func step(count: Int, reaches: Bool, among steps: some Sequence<Double>) -> Double {
        let few = steps.first { step in
            let (first, last) = ends(step: step, reaches: reaches)
            return last - first <= Double(Swift.max(count, 1))
        }
        return few ?? length
    }

    /// Returns the first and last tick in units of `step`: around the range, or within it.
    ///
    /// A tolerance of 1e-9 absorbs rounding errors.
    fileprivate func ends(step: Double, reaches: Bool) -> (first: Double, last: Double) {
        let (first, last) = (lowerBound / step, upperBound / step)
        return reaches
            ? ((first + 1e-9).rounded(.down), (last - 1e-9).rounded(.up))
            : ((first - 1e-9).rounded(.up), (last + 1e-9).rounded(.down))
    }
}
