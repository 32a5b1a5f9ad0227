import ProgramKit
import SyncCore

/// An A4 page of a track with a title, a map and plots below it.
struct PicturePage {
    private static let width = 595.0
    private static let height = 842.0
    private static let margin = 40.0
    /// The left edge of map and plots; axis labels stand further left.
    private static let left = 78.0
    private static let right = 555.0
    private static let top = 98.0
    private static let bottom = 800.0
    /// The height of a plot including its heading and the space above.
    private static let plotHeights = 88.0...150.0
    private static let headingHeight = 26.0
    /// The height of the labels below an axis.
    private static let labelHeight = 24.0
    /// The minimum height of a map relative to its width.
    private static let flattestMap = 0.4
    private static let ticks = 8

    let picture: TrackPicture

    func bytes(_ format: Page.Format) throws(PageError) -> [UInt8] {
        let page = try Page(format, width: Self.width, height: Self.height)
        drawTitle(on: page)
        var top = Self.top
        if let plane = MapPlane(picture.lines) {
            top += mapHeight(of: plane)
            let frame = Page.Frame(left: Self.left, top: Self.top, right: Self.right, bottom: top)
            let map = MapDrawing(plane, in: frame)
            map.draw(on: page, marks: picture.marks)
            drawScale(metresPerPoint: map.metresPerPoint, on: page)
            top += Self.labelHeight
        }
        drawPlots(from: top, on: page)
        let hasAlarms = picture.marks.contains { $0.note == nil }
        let text =
            "track \(picture.track.id)  ·  WGS 84"
            + (hasAlarms ? "  ·  orange dots are alarms" : "")
        page.write(text, at: Page.Spot(x: Self.margin, y: Self.height - 22), .label, .quiet)
        return try page.finish()
    }

    /// Returns the height that the track needs, limited by the heights that plots may have.
    private func mapHeight(of plane: MapPlane) -> Double {
        let count = Double(picture.plots.count)
        let room = Self.bottom - Self.top - Self.labelHeight * (count > 0 ? 2 : 1)
        let width = Self.right - Self.left
        let wanted = width * max(plane.north.length / max(plane.east.length, 1), Self.flattestMap)
        let least = room - count * Self.plotHeights.upperBound
        let most = room - count * Self.plotHeights.lowerBound
        return min(max(wanted, least), most)
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

    /// Draws a scale bar and a north arrow above the map, where they cover nothing.
    private func drawScale(metresPerPoint: Double, on page: Page) {
        let bar = picture.preferences.distance.scaleBar(below: metresPerPoint * 120)
        let y = Self.top - 7
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

    /// Draws plots of equal height down to the bottom margin, and their axis.
    private func drawPlots(from top: Double, on page: Page) {
        guard !picture.plots.isEmpty else { return }
        let axis = picture.axis(count: Self.ticks)
        let bottom = Self.bottom - Self.labelHeight
        let height = min((bottom - top) / Double(picture.plots.count), Self.plotHeights.upperBound)
        for (index, plot) in picture.plots.enumerated() {
            let start = top + Double(index) * height
            let (head, foot) = (start + Self.headingHeight, start + height)
            let frame = Page.Frame(left: Self.left, top: head, right: Self.right, bottom: foot)
            PlotDrawing(plot, over: axis, in: frame).draw(on: page)
        }
        draw(axis, below: top + Double(picture.plots.count) * height, on: page)
    }

    private func draw(_ axis: PlotAxis, below y: Double, on page: Page) {
        let line = [Page.Spot(x: Self.left, y: y), Page.Spot(x: Self.right, y: y)]
        page.stroke([line], .quiet, width: 0.6)
        for tick in axis.ticks {
            let x = Self.left + axis.part(tick.value) * (Self.right - Self.left)
            let place = Page.Spot(x: x, y: y + 12)
            page.write(tick.label, at: place, .label, .quiet, anchor: .middle)
        }
        let unit = Page.Spot(x: Self.left - 22, y: y + 12)
        page.write(picture.axisUnit, at: unit, .label, .quiet, anchor: .end)
    }
}
