/// Rows of text in aligned columns.
package struct Table: Sendable {
    /// How one column is headed and aligned.
    package struct Column: Sendable {
        package let title: String
        package var isRight = false
        package var isWhole = true
        package var isOptional = false

        /// Text, aligned at the left; shortened where a table is too wide.
        package static func left(_ title: String) -> Column { Column(title: title, isWhole: false) }

        /// Text, aligned at the left, that would say something else once it is shortened.
        package static func whole(_ title: String) -> Column { Column(title: title) }

        /// Numbers, aligned at the right.
        package static func right(_ title: String) -> Column { Column(title: title, isRight: true) }

        /// The column, which is left out before texts get too short to be told apart.
        package var ifThereIsRoom: Column {
            var column = self
            column.isOptional = true
            return column
        }
    }

    private(set) var columns: [Column]

    /// Cells, one for each column; control characters are removed when the table is drawn.
    package var rows: [[String]] = []

    package init(columns: [Column], rows: [[String]] = []) {
        (self.columns, self.rows) = (columns, rows)
    }

    /// Draws the table, in at most `columns` columns of a terminal.
    package func text(columns limit: Int? = nil, isColoured: Bool = false) -> String {
        var table = Table(columns: columns, rows: rows.map { $0.map(\.withoutControls) })
        if let limit { table.leaveOut(beyond: limit) }
        return table.drawn(limit: limit, isColoured: isColoured)
    }

    /// Leaves out columns that may be, the last one first, until texts have room.
    private mutating func leaveOut(beyond limit: Int) {
        while let index = columns.lastIndex(where: \.isOptional), roomyWidth > limit {
            columns.remove(at: index)
            for row in rows.indices where index < rows[row].count { rows[row].remove(at: index) }
        }
    }

    /// Enough for all that is never shortened, and for the beginnings of texts.
    private var roomyWidth: Int {
        let widths = zip(columns, naturalWidths).map { column, width in
            column.isWhole ? width : min(width, Self.roomyTextWidth)
        }
        return widths.reduce(Self.gap * (columns.count - 1), +)
    }

    private static let gap = 2
    private static let roomyTextWidth = 12
    private static let leastTextWidth = 8

    private var lines: [[String]] { [columns.map(\.title)] + rows }

    private func drawn(limit: Int?, isColoured: Bool) -> String {
        let widths = widths(limit: limit)
        return lines.enumerated().map { index, cells in
            let line = draw(cells, widths: widths)
            return (index == 0 && isColoured ? Style.bold.apply(to: line) : line) + "\n"
        }.joined()
    }

    private func draw(_ cells: [String], widths: [Int]) -> String {
        let parts = zip(zip(columns, widths), cells).map { place, cell in
            let (column, width) = place
            let text = cell.shortened(to: width)
            return column.isRight ? text.rightAligned(to: width) : text.padded(to: width)
        }
        let line = parts.joined(separator: String(repeating: " ", count: Self.gap))
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    private var naturalWidths: [Int] {
        let lines = lines
        return columns.indices.map { index in
            lines.map { index < $0.count ? $0[index].displayWidth : 0 }.max() ?? 0
        }
    }

    /// Takes what is too much from the widest column of text, again and again.
    private func widths(limit: Int?) -> [Int] {
        var widths = naturalWidths
        guard let limit else { return widths }
        while widths.reduce(Self.gap * (columns.count - 1), +) > limit {
            let texts = widths.indices.filter {
                !columns[$0].isWhole && widths[$0] > Self.leastTextWidth
            }
            guard let widest = texts.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
        }
        return widths
    }
}
