internal import Glibc

/// A map of a track in a frame of a page, with a grid of degrees.
struct MapDrawing {
    private static let marginPart = 0.06
    private static let shortestSpanMetres = 40.0
    private static let vertexLimit = 2000
    private static let tolerancePoints = 0.2
    private static let labelPoints = 9.0
    /// Start and finish closer than this are drawn as one place.
    private static let sameSpotPoints = 10.0
    /// The minimum distance between grid lines: the width of a degree label with some room.
    private static let tickPoints = 85.0

    private let plane: MapPlane
    private let frame: Page.Frame
    /// The point at the centre of the frame.
    private let middle: MapPlane.Point
    let metresPerPoint: Double

    init(_ plane: MapPlane, in frame: Page.Frame) {
        (self.plane, self.frame) = (plane, frame)
        middle = MapPlane.Point(east: plane.east.middle, north: plane.north.middle)
        let room = 1 - 2 * Self.marginPart
        metresPerPoint = max(
            plane.east.length / (frame.width * room),
            plane.north.length / (frame.height * room),
            Self.shortestSpanMetres / min(frame.width, frame.height)
        )
    }

    /// Draws the grid, the track, its start and finish, and the marks.
    func draw(on page: Page, marks: [TrackPicture.Place]) {
        page.fill(frame, .land)
        drawDegrees(on: page)
        page.clipped(to: frame) {
            let lines: [[Page.Spot]] = plane.lines.map { line in
                line.map(spot).simplified(tolerance: Self.tolerancePoints, limit: Self.vertexLimit)
            }
            page.stroke(lines, .paper, width: 3.6)
            page.stroke(lines, .way, width: 1.6)
            drawPlaces(marks, besides: lines, on: page)
        }
        page.stroke([frame.outline], .quiet, width: 0.6)
    }

    private func spot(_ point: MapPlane.Point) -> Page.Spot {
        Page.Spot(
            x: (frame.left + frame.right) / 2 + (point.east - middle.east) / metresPerPoint,
            y: (frame.top + frame.bottom) / 2 - (point.north - middle.north) / metresPerPoint
        )
    }

    private func drawDegrees(on page: Page) {
        let (east, north) = (plane.metresPerLongitude, plane.metresPerLatitude)
        let longitudes = degrees(over: frame.width, at: middle.east, per: east, ("E", "W"))
        for tick in longitudes.ticks {
            let x = frame.left + longitudes.part(tick.value) * frame.width
            page.stroke([frame.vertical(at: x)], .grid, width: 0.6)
            let place = Page.Spot(x: x, y: frame.bottom + Self.labelPoints + 2)
            page.write(tick.label, at: place, .label, .quiet, anchor: .middle)
        }
        let latitudes = degrees(over: frame.height, at: middle.north, per: north, ("N", "S"))
        for tick in latitudes.ticks {
            let y = frame.bottom - latitudes.part(tick.value) * frame.height
            page.stroke([frame.horizontal(at: y)], .grid, width: 0.6)
            let place = Page.Spot(x: frame.left - 5, y: y + 3)
            page.write(tick.label, at: place, .label, .quiet, anchor: .end)
        }
    }

    /// Returns the axis of one side of the frame, `points` long, around `middle` in metres.
    private func degrees(
        over points: Double,
        at middle: Double,
        per metresPerDegree: Double,
        _ letters: (String, String)
    ) -> PlotAxis {
        let half = points * metresPerPoint / 2
        let range = (middle - half) / metresPerDegree...(middle + half) / metresPerDegree
        return .degrees(range, count: Int(points / Self.tickPoints), letters: letters)
    }

    /// Draws start, finish and marks, with labels where they fit.
    private func drawPlaces(
        _ marks: [TrackPicture.Place],
        besides lines: [[Page.Spot]],
        on page: Page
    ) {
        guard let first = plane.lines.first?.first, let last = plane.lines.last?.last else {
            return
        }
        let (start, finish) = (spot(first), spot(last))
        let isRound = hypot(start.x - finish.x, start.y - finish.y) < Self.sameSpotPoints
        let alarms = marks.filter { $0.note == nil }.map { spot(plane.point($0.position)) }
        let notes = marks.compactMap { mark in
            mark.note.map { (text: $0, spot: spot(plane.point(mark.position))) }
        }
        for alarm in alarms { page.fillCircle(alarm, radius: 1.6, .alarm) }
        for note in notes {
            page.fillCircle(note.spot, radius: 2.6, .paper)
            page.fillCircle(note.spot, radius: 1.8, .text)
        }
        page.fillCircle(start, radius: isRound ? 7 : 5, .paper)
        page.fillCircle(start, radius: isRound ? 6 : 4, .start)
        let side = isRound ? 5.0 : 7
        page.fill(finish.square(side: side + 2), .paper)
        page.fill(finish.square(side: side), .finish)
        var labels = MapLabels(within: frame, besides: lines)
        labels.write(isRound ? "start, finish" : "start", at: start, .start, on: page)
        if !isRound { labels.write("finish", at: finish, .finish, on: page) }
        for note in notes { labels.write(note.text, at: note.spot, .text, on: page) }
    }
}

extension Page.Frame {
    var outline: [Page.Spot] {
        [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
            .map { Page.Spot(x: $0, y: $1) }
    }

    func vertical(at x: Double) -> [Page.Spot] {
        [Page.Spot(x: x, y: top), Page.Spot(x: x, y: bottom)]
    }

    func horizontal(at y: Double) -> [Page.Spot] {
        [Page.Spot(x: left, y: y), Page.Spot(x: right, y: y)]
    }

    func overlaps(_ other: Page.Frame) -> Bool {
        left < other.right && other.left < right && top < other.bottom && other.top < bottom
    }
}

extension Page.Spot {
    fileprivate func square(side: Double) -> Page.Frame {
        Page.Frame(left: x - side / 2, top: y - side / 2, right: x + side / 2, bottom: y + side / 2)
    }
}

extension ClosedRange<Double> {
    fileprivate var middle: Double { (lowerBound + upperBound) / 2 }
}
