/// A plot in a frame of a page, over a shared x axis.
struct PlotDrawing {
    private static let pointsPerStep = 20.0

    private let plot: Plot
    private let frame: Page.Frame
    private let axis: PlotAxis
    private let scale: PlotAxis

    init(_ plot: Plot, over axis: PlotAxis, in frame: Page.Frame) {
        (self.plot, self.axis, self.frame) = (plot, axis, frame)
        scale = plot.axis(count: Int(frame.height / Self.pointsPerStep))
    }

    /// Draws everything except the labels of the x axis.
    func draw(on page: Page) {
        let place = Page.Spot(x: frame.left, y: frame.top - 5)
        page.write(plot.title, at: place, .heading, plot.quantity.ink)
        if let spike = plot.spike {
            let place = Page.Spot(x: frame.right, y: frame.top - 5)
            page.write("clipped: peak \(spike)", at: place, .label, .quiet, anchor: .end)
        }
        drawGrid(on: page)
        let lines = plot.lines.map { line in
            line.thinned(to: Int(frame.width * 0.9), of: axis.range).map(spot)
        }
        if plot.quantity == .elevation {
            for line in lines { fillBelow(line, on: page) }
        }
        page.stroke(lines, plot.quantity.ink, width: 1.1)
    }

    private func drawGrid(on page: Page) {
        for tick in axis.ticks {
            let x = frame.left + axis.part(tick.value) * frame.width
            page.stroke([frame.vertical(at: x)], .grid, width: 0.6)
        }
        for tick in scale.ticks {
            let y = height(tick.value)
            page.stroke([frame.horizontal(at: y)], tick.value == 0 ? .quiet : .grid, width: 0.6)
            let place = Page.Spot(x: frame.left - 5, y: y + 2.8)
            page.write(tick.label, at: place, .label, .quiet, anchor: .end)
        }
    }

    private func fillBelow(_ line: [Page.Spot], on page: Page) {
        guard let first = line.first, let last = line.last else { return }
        let foot = [Page.Spot(x: last.x, y: frame.bottom), Page.Spot(x: first.x, y: frame.bottom)]
        page.fill(line + foot, plot.quantity.ink.fading(to: 0.15))
    }

    private func spot(_ point: Plot.Point) -> Page.Spot {
        Page.Spot(x: frame.left + axis.part(point.x) * frame.width, y: height(plot.cut(point.y)))
    }

    private func height(_ value: Double) -> Double {
        frame.bottom - plot.height(value, on: scale) * frame.height
    }
}
