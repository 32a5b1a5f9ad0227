import ProgramKit

extension TrackPicture {
    private static let widest = 100
    private static let mapRows = 20
    private static let narrowest = 30
    /// The width of a tick label with its spacing.
    private static let labelColumns = 12

    /// Returns the plots and the map for a terminal, each after an empty line.
    ///
    /// Returns an empty string if there is nothing to draw.
    func text(columns: Int?) -> String {
        let columns = max(Self.narrowest, min(columns ?? 80, Self.widest))
        let map = BrailleMap(lines: lines, unit: preferences.distance)
            .text(columns: columns, rows: Self.mapRows)
        return plotText(columns: columns) + (map.isEmpty ? "" : "\n" + map)
    }

    private func plotText(columns: Int) -> String {
        guard !plots.isEmpty else { return "" }
        let axis = axis(count: columns / Self.labelColumns)
        let drawn = plots.map { BraillePlot($0, over: axis) }
        let width = drawn.map(\.labelWidth).reduce(axisUnit.displayWidth, max)
        let blocks = drawn.map { $0.lines(columns: columns, labelWidth: width) }
        let foot = BraillePlot.foot(of: axis, unit: axisUnit, columns: columns, labelWidth: width)
        return (blocks.map { "\n" + $0.joined(separator: "\n") + "\n" } + foot.map { $0 + "\n" })
            .joined()
    }
}
