internal import Glibc

/// A track map in braille dots, north up, with a scale bar.
struct BrailleMap: Sendable {
    private static let shortestSpanMetres = 10.0

    /// The polylines of the track, one for each uninterrupted part.
    let lines: [[MapPlane.Position]]

    var unit = DistanceUnit.metric

    /// Draws the map as large as `columns` and `rows` allow, with the scale bar in one more row.
    ///
    /// The start is marked `o` and the end `x`. Returns an empty string if there is no position.
    func text(columns: Int, rows: Int) -> String {
        guard let plane = MapPlane(lines), let first = plane.lines.first?.first,
            let last = plane.lines.last?.last
        else { return "" }
        let metresPerDot = max(
            plane.east.length / Double(max(columns * 2 - 1, 1)),
            plane.north.length / Double(max(rows * 4 - 1, 1)),
            Self.shortestSpanMetres / Double(max(columns * 2, 1))
        )
        func dot(_ point: MapPlane.Point) -> BrailleCanvas.Dot {
            BrailleCanvas.Dot(
                column: Int(((point.east - plane.east.lowerBound) / metresPerDot).rounded()),
                row: Int(((plane.north.upperBound - point.north) / metresPerDot).rounded())
            )
        }
        var canvas = BrailleCanvas(
            columns: Int((plane.east.length / metresPerDot).rounded()) / 2 + 1,
            rows: Int((plane.north.length / metresPerDot).rounded()) / 4 + 1
        )
        for line in plane.lines { canvas.draw(line.lazy.map(dot)) }
        canvas.mark(dot(first), "o")
        canvas.mark(dot(last), "x")
        return canvas.lines.map { $0 + "\n" }.joined()
            + scale(metresPerColumn: metresPerDot * 2, columns: columns)
    }

    private func scale(metresPerColumn: Double, columns: Int) -> String {
        let bar = unit.scaleBar(below: metresPerColumn * Double(columns) / 3)
        let width = max(1, Int((bar.metres / metresPerColumn).rounded()))
        let line = width < 2 ? "┤" : "├" + String(repeating: "─", count: width - 2) + "┤"
        return "\(line) \(bar.name)  north up  o start  x end\n"
    }
}
