/// Words beside places of a map, none over another.
struct MapLabels {
    private static let gap = 7.0
    private static let height = 9.0
    private static let widest = 140.0

    private let frame: Page.Frame
    private var taken: [Page.Frame] = []

    /// None yet.
    init(within frame: Page.Frame) {
        self.frame = frame
    }

    /// Writes words to the right of a place, or to its left, above or below; nowhere without room.
    mutating func write(_ text: String, at spot: Page.Spot, _ ink: Page.Ink, on page: Page) {
        let text = page.shortened(text, .heading, to: Self.widest)
        let width = page.width(of: text, .heading)
        let places = [
            (spot.x + Self.gap, spot.y), (spot.x - Self.gap - width, spot.y),
            (spot.x - width / 2, spot.y - Self.height - 3),
            (spot.x - width / 2, spot.y + Self.height + 3),
        ]
        let boxes = places.map { left, middle in
            Page.Frame(
                left: left,
                top: middle - Self.height / 2,
                right: left + width,
                bottom: middle + Self.height / 2
            )
        }
        guard let box = boxes.first(where: isFree) else { return }
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
    fileprivate func grown(by points: Double) -> Page.Frame {
        Page.Frame(
            left: left - points,
            top: top - points,
            right: right + points,
            bottom: bottom + points
        )
    }
}
