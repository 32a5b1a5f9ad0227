internal import Glibc

/// A track drawn in braille dots, north up, with a scale bar.
struct BrailleMap: Sendable {
    /// Degrees north and east, WGS 84.
    struct Position: Hashable, Sendable {
        let latitude: Double
        let longitude: Double
    }

    private static let metresPerDegree = 111_195.0

    /// Lines between which the track is interrupted.
    let lines: [[Position]]

    /// The unit of the scale bar.
    var unit = DistanceUnit.metric

    /// Draws the lines as large as fits into so many columns and rows; the start is marked `o`,
    /// the end `x`, and one more row holds the scale.
    ///
    /// Empty where there is no position.
    func text(columns: Int, rows: Int) -> String {
        let plane = plane()
        guard let first = plane.first(where: { !$0.isEmpty })?.first,
            let last = plane.last(where: { !$0.isEmpty })?.last
        else { return "" }
        var canvas = Canvas(points: plane.joined(), columns: columns, rows: rows)
        for line in plane {
            canvas.draw(line)
        }
        canvas.mark(first, "o")
        canvas.mark(last, "x")
        return canvas.text + scale(metresPerColumn: canvas.metresPerDot * 2, columns: columns)
    }

    /// Metres east and north of the middle.
    ///
    /// A track over the antimeridian is not torn apart.
    private func plane() -> [[Canvas.Point]] {
        let all = lines.joined().filter { $0.latitude.isFinite && $0.longitude.isFinite }
        guard let south = all.map(\.latitude).min(), let north = all.map(\.latitude).max(),
            let west = all.map(\.longitude).min(), let east = all.map(\.longitude).max()
        else { return [] }
        let wraps = east - west > 180
        let shrink = max(cos((south + north) / 2 * .pi / 180), 0.01)
        return lines.map { line in
            line.filter { $0.latitude.isFinite && $0.longitude.isFinite }.map { position in
                let turn = wraps && position.longitude < 0 ? 360.0 : 0
                return Canvas.Point(
                    east: (position.longitude + turn) * shrink * Self.metresPerDegree,
                    north: position.latitude * Self.metresPerDegree
                )
            }
        }
    }

    /// A bar of a round length, at most a third of the width.
    private func scale(metresPerColumn: Double, columns: Int) -> String {
        let unitMetres = unit.scaleMetres(below: metresPerColumn * Double(columns) / 3)
        let longest = metresPerColumn * Double(columns) / 3 / unitMetres
        let power = pow(10, log10(max(longest, 1e-9)).rounded(.down))
        let factor = [5.0, 2, 1].first { $0 * power <= longest } ?? 1
        let length = factor * power
        let width = max(1, Int((length * unitMetres / metresPerColumn).rounded()))
        let bar = width < 2 ? "┤" : "├" + String(repeating: "─", count: width - 2) + "┤"
        let name = unit.scaleText(length, unitMetres: unitMetres)
        return "\(bar) \(name)  north up  o start  x end\n"
    }
}

/// Dots, eight to a character, and the marks over them.
private struct Canvas {
    /// Metres east and north of any origin.
    struct Point {
        let east: Double
        let north: Double
    }

    /// A dot or a character, from the top left.
    private struct Cell: Hashable {
        let column: Int
        let row: Int
    }

    private static let shortestSpanMetres = 10.0

    let metresPerDot: Double
    private let west: Double
    private let north: Double
    private let columns: Int
    private let rows: Int
    private var dots: Set<Cell> = []
    private var marks: [Cell: Character] = [:]

    /// A canvas around the points.
    ///
    /// Dots are as wide as high, since characters are twice as high.
    init(points: some Sequence<Point>, columns: Int, rows: Int) {
        let points = Array(points)
        let east = points.map(\.east).max() ?? 0
        let south = points.map(\.north).min() ?? 0
        west = points.map(\.east).min() ?? 0
        north = points.map(\.north).max() ?? 0
        let (width, height) = (east - west, north - south)
        metresPerDot = max(
            width / Double(max(columns * 2 - 1, 1)),
            height / Double(max(rows * 4 - 1, 1)),
            Self.shortestSpanMetres / Double(max(columns * 2, 1))
        )
        self.columns = Int((width / metresPerDot).rounded()) / 2 + 1
        self.rows = Int((height / metresPerDot).rounded()) / 4 + 1
    }

    private func dot(_ point: Point) -> Cell {
        Cell(
            column: Int(((point.east - west) / metresPerDot).rounded()),
            row: Int(((north - point.north) / metresPerDot).rounded())
        )
    }

    /// Sets the dots of a polyline.
    mutating func draw(_ line: [Point]) {
        guard var from = line.first.map(dot) else { return }
        dots.insert(from)
        for to in line.dropFirst().map(dot) where to != from {
            let steps = max(abs(to.column - from.column), abs(to.row - from.row))
            for step in 1...steps {
                let part = Double(step) / Double(steps)
                let column = Double(to.column - from.column) * part
                let row = Double(to.row - from.row) * part
                dots.insert(
                    Cell(
                        column: from.column + Int(column.rounded()),
                        row: from.row + Int(row.rounded())
                    )
                )
            }
            from = to
        }
    }

    /// Puts a letter over the dots.
    mutating func mark(_ point: Point, _ letter: Character) {
        let dot = dot(point)
        marks[Cell(column: dot.column / 2, row: dot.row / 4)] = letter
    }

    /// The rows, each with its newline.
    var text: String {
        (0..<rows).map { row in
            let line = (0..<columns).map { character(Cell(column: $0, row: row)) }
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }

    /// U+2800 and one bit for each dot: 1-3 and 7 at the left, 4-6 and 8 at the right.
    private func character(_ cell: Cell) -> Character {
        if let mark = marks[cell] { return mark }
        let bits: [[UInt32]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
        var pattern: UInt32 = 0
        for row in 0..<4 {
            for column in 0..<2
            where dots.contains(Cell(column: cell.column * 2 + column, row: cell.row * 4 + row)) {
                pattern |= bits[row][column]
            }
        }
        guard pattern > 0, let scalar = Unicode.Scalar(0x2800 + pattern) else { return " " }
        return Character(scalar)
    }
}
