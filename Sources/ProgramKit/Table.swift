/// A table of text in aligned columns.
package struct Table: Sendable {
    /// The heading and layout of a column.
    package struct Column: Sendable {
        package let title: String
        package var isRight = false
        package var isWhole = true
        package var isOptional = false

        /// Left-aligned text that may be shortened in a narrow table.
        package static func left(_ title: String) -> Column { Column(title: title, isWhole: false) }

        /// Left-aligned text that must not be shortened, because that would change its meaning.
        package static func whole(_ title: String) -> Column { Column(title: title) }

        /// Right-aligned numbers.
        package static func right(_ title: String) -> Column { Column(title: title, isRight: true) }

        /// The same column, dropped when texts would become too short to distinguish.
        package var ifThereIsRoom: Column {
            var column = self
            column.isOptional = true
            return column
        }
    }

    private(set) var columns: [Column]

    /// One cell for each column; control characters are removed when the table is drawn.
    package var rows: [[String]] = []

    package init(columns: [Column], rows: [[String]] = []) {
        (self.columns, self.rows) = (columns, rows)
    }

    /// Draws the table, in at most `columns` terminal columns if given.
    ///
    /// A table whose columns cannot be shortened further is wider.
    package func text(columns limit: Int? = nil, isColoured: Bool = false) -> String {
        var table = Table(columns: columns, rows: rows.map { $0.map(\.withoutControls) })
        if let limit { table.leaveOut(beyond: limit) }
        return table.drawn(limit: limit, isColoured: isColoured)
    }

    /// Drops optional columns, the last one first, until texts have room.
    private mutating func leaveOut(beyond limit: Int) {
        while let index = columns.lastIndex(where: \.isOptional), roomyWidth > limit {
            columns.remove(at: index)
            for row in rows.indices where index < rows[row].count { rows[row].remove(at: index) }
        }
    }

    /// The width with unshortened `isWhole` columns and up to 12 columns for each other text.
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

    /// Narrows the widest text column by one until the table fits or no text can be shortened.
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
