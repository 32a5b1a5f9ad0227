/// Rows of text in aligned columns.
struct Table: Sendable {
    /// How one column is headed and aligned.
    struct Column: Sendable {
        let title: String
        var isRight = false
        var isWhole = true

        /// Text, aligned at the left; shortened where a table is too wide.
        static func left(_ title: String) -> Column { Column(title: title, isWhole: false) }

        /// Text, aligned at the left, that would say something else once it is shortened.
        static func whole(_ title: String) -> Column { Column(title: title) }

        /// Numbers, aligned at the right.
        static func right(_ title: String) -> Column { Column(title: title, isRight: true) }
    }

    let columns: [Column]

    /// Cells, one for each column; control characters are removed when the table is drawn.
    var rows: [[String]] = []

    /// Draws the table, in at most `columns` columns of a terminal.
    func text(columns limit: Int? = nil, isColoured: Bool = false) -> String {
        let rows = rows.map { $0.map(\.withoutControls) }
        let lines = [columns.map(\.title)] + rows
        let widths = widths(of: lines, limit: limit)
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
        let line = parts.joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    /// Takes what is too much from the widest column of text, again and again.
    private func widths(of lines: [[String]], limit: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            lines.map { index < $0.count ? $0[index].displayWidth : 0 }.max() ?? 0
        }
        guard let limit else { return widths }
        let gaps = 2 * (columns.count - 1)
        while widths.reduce(gaps, +) > limit {
            let texts = widths.indices.filter { !columns[$0].isWhole && widths[$0] > 8 }
            guard let widest = texts.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
        }
        return widths
    }
}
