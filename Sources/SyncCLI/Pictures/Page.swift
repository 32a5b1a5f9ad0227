import ProgramKit
internal import CCairo

/// A page that is drawn on, in points (1/72 inch) from the top left, and becomes an SVG or PNG file.
final class Page {
    /// What the page becomes.
    enum Format: String, CaseIterable, Sendable {
        case svg
        case png
    }

    /// Red, green and blue, and how much hides what is below; parts of one.
    struct Ink: Hashable, Sendable {
        let red: Double
        let green: Double
        let blue: Double
        var alpha = 1.0

        /// A colour as `0xRRGGBB`.
        init(_ code: UInt32) {
            red = Double(code >> 16 & 0xFF) / 255
            green = Double(code >> 8 & 0xFF) / 255
            blue = Double(code & 0xFF) / 255
        }

        /// The colour, through which so much of what is below is hidden.
        func fading(to alpha: Double) -> Ink {
            var ink = self
            ink.alpha = alpha
            return ink
        }
    }

    /// Points from the top left.
    struct Spot: Hashable, Sendable {
        let x: Double
        let y: Double
    }

    /// A part of the page.
    struct Frame: Hashable, Sendable {
        let left: Double
        let top: Double
        let right: Double
        let bottom: Double

        var width: Double { right - left }
        var height: Double { bottom - top }
    }

    /// Pixels to a point: 216 dots to an inch.
    private static let pixelsPerPoint = 3.0

    private let handle: ccairo_page

    /// An empty page of so many points.
    init(_ format: Format, width: Double, height: Double) throws(PageError) {
        let page =
            switch format {
            case .svg: ccairo_make_svg(width, height)
            case .png: ccairo_make_png(width, height, Self.pixelsPerPoint)
            }
        guard let page else { throw PageError(reason: "out of memory") }
        handle = page
    }

    /// The bytes of the file; nothing may be drawn after it.
    func finish() throws(PageError) -> [UInt8] {
        var start: UnsafePointer<UInt8>?
        var count = 0
        let reason = unsafe ccairo_finish(handle, &start, &count)
        if let reason = unsafe reason { throw unsafe PageError(reason: String(cString: reason)) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }
}

/// Why a page could not be made.
struct PageError: DescribedError, Hashable {
    /// In cairo's words.
    let reason: String

    var userError: UserError { UserError(.failure, "cannot draw: \(reason)") }
}

/// Drawing.
extension Page {
    /// Draws lines of a width.
    func stroke(_ lines: [[Spot]], _ ink: Ink, width: Double) {
        use(ink)
        for line in lines {
            guard let first = line.first else { continue }
            ccairo_move(handle, first.x, first.y)
            // A line of one point is a dot, for its ends are round.
            for spot in line.count > 1 ? line[1...] : line[...] {
                ccairo_line(handle, spot.x, spot.y)
            }
        }
        ccairo_stroke(handle, width)
    }

    /// Fills what a line encloses.
    func fill(_ line: [Spot], _ ink: Ink) {
        guard let first = line.first else { return }
        use(ink)
        ccairo_move(handle, first.x, first.y)
        for spot in line.dropFirst() { ccairo_line(handle, spot.x, spot.y) }
        ccairo_fill(handle)
    }

    /// Fills a circle.
    func fillCircle(_ middle: Spot, radius: Double, _ ink: Ink) {
        use(ink)
        ccairo_circle(handle, middle.x, middle.y, radius)
        ccairo_fill(handle)
    }

    /// Fills a part of the page.
    func fill(_ frame: Frame, _ ink: Ink) {
        use(ink)
        ccairo_rectangle(handle, frame.left, frame.top, frame.width, frame.height)
        ccairo_fill(handle)
    }

    /// Draws within a part of the page only.
    func clipped(to frame: Frame, _ draw: () -> Void) {
        ccairo_rectangle(handle, frame.left, frame.top, frame.width, frame.height)
        ccairo_clip(handle)
        draw()
        ccairo_unclip(handle)
    }

    private func use(_ ink: Ink) {
        ccairo_colour(handle, ink.red, ink.green, ink.blue, ink.alpha)
    }
}

/// Words.
extension Page {
    /// How words look.
    struct Font: Hashable, Sendable {
        let size: Double
        var isBold = false
    }

    /// Which part of the words stands at their place.
    enum Anchor: Double, Sendable {
        case start = 0
        case middle = 0.5
        case end = 1
    }

    /// The width of words, control characters removed.
    func width(of text: String, _ font: Font) -> Double {
        ccairo_text_width(handle, text.withoutControls, font.size, font.isBold)
    }

    /// Writes words on a base line, control characters removed.
    func write(
        _ text: String,
        at spot: Spot,
        _ font: Font,
        _ ink: Ink,
        anchor: Anchor = .start
    ) {
        let left = spot.x - width(of: text, font) * anchor.rawValue
        use(ink)
        ccairo_text(handle, text.withoutControls, left, spot.y, font.size, font.isBold)
    }

    /// The words, their end replaced by `…` where they are wider than so many points.
    func shortened(_ text: String, _ font: Font, to limit: Double) -> String {
        guard width(of: text, font) > limit else { return text }
        var columns = min(text.displayWidth, Int(limit))
        while columns > 1, width(of: text.shortened(to: columns), font) > limit { columns -= 1 }
        return text.shortened(to: columns)
    }
}
