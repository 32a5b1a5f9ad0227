import ProgramKit

/// A plot in braille dots, with tick labels on its left.
struct BraillePlot: Sendable {
    let plot: Plot
    /// The x axis, which all plots of a picture share.
    let axis: PlotAxis
    private let scale: PlotAxis

    /// The height of the plot in rows, without its title.
    private static let rows = 7
    /// The maximum number of tick intervals; one, two and three intervals are each whole rows high.
    private static let steps = 3

    init(_ plot: Plot, over axis: PlotAxis) {
        (self.plot, self.axis) = (plot, axis)
        scale = plot.axis(count: Self.steps)
    }

    /// The width of the widest tick label, in columns.
    var labelWidth: Int { scale.ticks.map(\.label.displayWidth).max() ?? 0 }

    /// Returns the title and the rows, at most `columns` wide, with labels of the given width.
    func lines(columns: Int, labelWidth: Int) -> [String] {
        var canvas = BrailleCanvas(columns: columns - labelWidth - 1, rows: Self.rows)
        for line in plot.lines {
            let dots = line.thinned(to: canvas.dotColumns, of: axis.range)
                .map { dot($0, on: canvas) }
            canvas.draw(dots)
        }
        let spike = plot.spike.map { "  (clipped: peak \($0))" } ?? ""
        return [(plot.title + spike).shortened(to: columns)]
            + zip(labels, canvas.lines).map { label, line in
                let tick = label.isEmpty ? "│" : "┤"
                return label.rightAligned(to: labelWidth) + tick + line
            }
    }

    /// Draws the x axis below the last plot, with its labels.
    static func foot(of axis: PlotAxis, unit: String, columns: Int, labelWidth: Int) -> [String] {
        let width = columns - labelWidth - 1
        var line = Array(repeating: Character("─"), count: max(width, 0))
        var labels = unit.rightAligned(to: labelWidth) + " "
        for tick in axis.ticks {
            let place = Int((axis.part(tick.value) * Double(width - 1)).rounded())
            guard line.indices.contains(place) else { continue }
            line[place] = "┬"
            let start = min(
                place - (tick.label.displayWidth - 1) / 2,
                width - tick.label.displayWidth
            )
            let column = labelWidth + 1 + max(start, 0)
            let isFree = labels.displayWidth < column || labels.displayWidth == labelWidth + 1
            if isFree { labels = labels.padded(to: column) + tick.label }
        }
        return [String(repeating: " ", count: labelWidth) + "└" + String(line), labels]
    }

    private func dot(_ point: Plot.Point, on canvas: BrailleCanvas) -> BrailleCanvas.Dot {
        let height = plot.height(plot.cut(point.y), on: scale)
        return BrailleCanvas.Dot(
            column: Int((axis.part(point.x) * Double(canvas.dotColumns - 1)).rounded()),
            row: Int(((1 - height) * Double(canvas.dotRows - 1)).rounded())
        )
    }

    /// The label of each row; most are empty.
    private var labels: [String] {
        var labels = Array(repeating: "", count: Self.rows)
        for tick in scale.ticks {
            let height = plot.height(tick.value, on: scale)
            labels[Int(((1 - height) * Double(Self.rows - 1)).rounded())] = tick.label
        }
        return labels
    }
}
