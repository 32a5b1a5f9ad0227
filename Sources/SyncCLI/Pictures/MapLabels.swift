import ProgramKit

/// Places labels on a map so that none overlaps another; only the first two may cover the track.
struct MapLabels {
    private static let gap = 7.0
    private static let height = 9.0
    private static let widest = 140.0

    /// The spacing of the points that stand for a line in collision tests.
    private static let stepPoints = 4.0

    private let frame: Page.Frame
    private let obstacles: [Page.Spot]
    private var taken: [Page.Frame] = []

    /// Creates an empty set of labels, which avoid `lines` where they can.
    init(within frame: Page.Frame, besides lines: [[Page.Spot]]) {
        self.frame = frame
        obstacles = lines.flatMap { line in
            zip(line, line.dropFirst()).flatMap { start, end in
                let steps = max(abs(end.x - start.x), abs(end.y - start.y)) / Self.stepPoints
                return (0...Int(steps)).map { step in
                    let part = Double(step) / max(steps, 1)
                    let (x, y) = (part * (end.x - start.x), part * (end.y - start.y))
                    return Page.Spot(x: start.x + x, y: start.y + y)
                }
            }
        }
    }

    /// The number of labels that may cover the track if there is no other room: start and finish.
    private static let boldCount = 2

    /// Writes a label right of, left of, above or below a spot; omits it if there is no room.
    mutating func write(_ text: String, at spot: Page.Spot, _ ink: Page.Ink, on page: Page) {
        let text = page.shortened(text, .heading, to: Self.widest)
        let width = page.width(of: text, .heading)
        let places = [
            (spot.x + Self.gap, spot.y), (spot.x - Self.gap - width, spot.y),
            (spot.x - width / 2, spot.y - Self.height - 3),
            (spot.x - width / 2, spot.y + Self.height + 3),
            (spot.x + 2, spot.y - Self.height - 3), (spot.x + 2, spot.y + Self.height + 3),
            (spot.x - 2 - width, spot.y - Self.height - 3),
            (spot.x - 2 - width, spot.y + Self.height + 3),
        ]
        let boxes = places.map { left, middle in
            let (top, bottom) = (middle - Self.height / 2, middle + Self.height / 2)
            return Page.Frame(left: left, top: top, right: left + width, bottom: bottom)
        }
        let free = boxes.filter(isFree)
        let clear = free.first { box in !obstacles.contains { box.contains($0) } }
        let bold = taken.count < Self.boldCount ? free.first : nil
        guard let box = clear ?? bold else { return }
        taken.append(box)
        page.fill(box.grown(by: 1), .land.fading(to: 0.8))
        page.write(text, at: Page.Spot(x: box.left, y: box.bottom - 1.3), .heading, ink)
    }

    private func isFree(_ box: Page.Frame) -> Bool {
        box.left >= frame.left && box.right <= frame.right && box.top >= frame.top
            && box.bottom <= frame.bottom && !taken.contains { $0.overlaps(box) }
    }
}

extension Page.Frame {
    fileprivate func contains(_ spot: Page.Spot) -> Bool {
        (left...right).contains(spot.x) && (top...bottom).contains(spot.y)
    }

    fileprivate func grown(by room: Double) -> Page.Frame {
        Page.Frame(left: left - room, top: top - room, right: right + room, bottom: bottom + room)
    }
}
