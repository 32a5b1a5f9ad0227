import SyncCore

/// A track on a page of A4: a title, a map, and plots below it.
struct PicturePage {
    private static let width = 595.0
    private static let height = 842.0
    /// The parts that may be drawn on; labels of axes stand at their left.
    private static let left = 78.0
    private static let right = 555.0
    private static let mapTop = 98.0
    private static let bottom = 800.0
    private static let plotHeight = 62.0
    /// With its heading, and room for labels of the map above.
    private static let plotRoom = 88.0
    private static let plotTop = 26.0
    /// Labels of an axis below.
    private static let footPoints = 24.0
    private static let ticks = 8

    let picture: TrackPicture

    /// The bytes of a file.
    func bytes(_ format: Page.Format) throws(PageError) -> [UInt8] {
        let page = try Page(format, width: Self.width, height: Self.height)
        drawTitle(on: page)
        let plane = MapPlane(picture.lines)
        if let plane {
            let frame = Page.Frame(
                left: Self.left,
                top: Self.mapTop,
                right: Self.right,
                bottom: mapBottom
            )
            let map = MapDrawing(plane, in: frame)
            map.draw(on: page, marks: picture.marks)
            drawScale(metresPerPoint: map.metresPerPoint, on: page)
        }
        drawPlots(from: plane == nil ? Self.mapTop : mapBottom + Self.footPoints, on: page)
        drawFoot(on: page)
        return try page.finish()
    }

    private var mapBottom: Double {
        let plots = picture.plots.isEmpty
            ? 0 : Double(picture.plots.count) * Self.plotRoom + Self.footPoints
        return Self.bottom - plots - Self.footPoints
    }

    private func drawTitle(on page: Page) {
        let (track, preferences) = (picture.track, picture.preferences)
        let room = Self.right - Self.margin
        let title = page.shortened(track.title, .title, to: room)
        page.write(title, at: Page.Spot(x: Self.margin, y: 56), .title, .text)
        var facts = [preferences.text(track.start)]
        if let sport = track.sport { facts.append(sport) }
        facts.append(preferences.distance(track.knownDistanceMetres))
        facts.append(track.elapsed)
        let line = facts.filter { $0 != "–" }.joined(separator: "  ·  ")
        let text = page.shortened(line, .line, to: room)
        page.write(text, at: Page.Spot(x: Self.margin, y: 73), .line, .quiet)
    }

    private static let margin = 40.0

    /// A scale bar and an arrow to the north, above the map, where they hide nothing.
    private func drawScale(metresPerPoint: Double, on page: Page) {
        let bar = picture.preferences.distance.scaleBar(below: metresPerPoint * 120)
        let y = Self.mapTop - 7
        let (end, start) = (Self.right - 22, Self.right - 22 - bar.metres / metresPerPoint)
        page.stroke(
            [[(start, y - 3), (start, y), (end, y), (end, y - 3)].map { Page.Spot(x: $0, y: $1) }],
            .text,
            width: 0.9
        )
        let name = Page.Spot(x: start - 5, y: y + 0.5)
        page.write(bar.name, at: name, .label, .text, anchor: .end)
        let tip = Page.Spot(x: Self.right - 5, y: y - 19)
        let arrow = [(0.0, 0.0), (4.5, 11.0), (0.0, 8.0), (-4.5, 11.0)]
            .map { Page.Spot(x: tip.x + $0, y: tip.y + $1) }
        page.fill(arrow, .text)
        let letter = Page.Spot(x: tip.x, y: y + 0.5)
        page.write("N", at: letter, .label, .text, anchor: .middle)
    }

    private func drawPlots(from top: Double, on page: Page) {
        guard !picture.plots.isEmpty else { return }
        let axis = picture.axis(count: Self.ticks)
        var bottom = top
        for (index, plot) in picture.plots.enumerated() {
            let start = top + Double(index) * Self.plotRoom + Self.plotTop
            bottom = start + Self.plotHeight
            let frame = Page.Frame(left: Self.left, top: start, right: Self.right, bottom: bottom)
            PlotDrawing(plot, over: axis, in: frame).draw(on: page)
        }
        page.stroke(
            [[Page.Spot(x: Self.left, y: bottom), Page.Spot(x: Self.right, y: bottom)]],
            .quiet,
            width: 0.6
        )
        let base = bottom + 12
        for tick in axis.ticks {
            let x = Self.left + axis.part(tick.value) * (Self.right - Self.left)
            page.write(tick.label, at: Page.Spot(x: x, y: base), .label, .quiet, anchor: .middle)
        }
        let unit = Page.Spot(x: Self.left - 22, y: base)
        page.write(picture.axisUnit, at: unit, .label, .quiet, anchor: .end)
    }

    private func drawFoot(on page: Page) {
        let text = "track \(picture.track.id)  ·  WGS 84"
        page.write(text, at: Page.Spot(x: Self.margin, y: Self.height - 22), .label, .quiet)
    }
}
