import ProgramKit
internal import CCairo

/// A page to draw on, in points (1/72 inch) from the top left, exported as SVG or PNG.
final class Page {
    enum Format: String, CaseIterable, Sendable {
        case svg
        case png
    }

    /// A colour with opacity; all components range from 0 to 1.
    struct Ink: Hashable, Sendable {
        let red: Double
        let green: Double
        let blue: Double
        var alpha = 1.0

        /// Creates an opaque colour from `0xRRGGBB`.
        init(_ code: UInt32) {
            red = Double(code >> 16 & 0xFF) / 255
            green = Double(code >> 8 & 0xFF) / 255
            blue = Double(code & 0xFF) / 255
        }

        /// Returns the colour with the given opacity.
        func fading(to alpha: Double) -> Ink {
            var ink = self
            ink.alpha = alpha
            return ink
        }
    }

    /// A position in points from the top left.
    struct Spot: Hashable, Sendable {
        let x: Double
        let y: Double
    }

    /// A rectangle of the page.
    struct Frame: Hashable, Sendable {
        let left: Double
        let top: Double
        let right: Double
        let bottom: Double

        var width: Double { right - left }
        var height: Double { bottom - top }
    }

    /// The resolution of a PNG: 3 pixels per point are 216 dpi.
    private static let pixelsPerPoint = 3.0

    private let handle: ccairo_page

    /// Creates an empty page; its size is in points.
    init(_ format: Format, width: Double, height: Double) throws(PageError) {
        let page =
            switch format {
            case .svg: ccairo_make_svg(width, height)
            case .png: ccairo_make_png(width, height, Self.pixelsPerPoint)
            }
        guard let page else { throw PageError(reason: "out of memory") }
        handle = page
    }

    /// Returns the bytes of the file; nothing may be drawn afterwards.
    func finish() throws(PageError) -> [UInt8] {
        var start: UnsafePointer<UInt8>?
        var count = 0
        let reason = unsafe ccairo_finish(handle, &start, &count)
        if let reason = unsafe reason { throw unsafe PageError(reason: String(cString: reason)) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }
}

/// A failure to create a page.
struct PageError: DescribedError, Hashable {
    /// The reason, as cairo words it.
    let reason: String

    var words: (message: String, hint: String?) { ("cannot draw: \(reason)", nil) }
}

/// Drawing.
extension Page {
    /// Draws polylines; the width is in points.
    func stroke(_ lines: [[Spot]], _ ink: Ink, width: Double) {
        use(ink)
        for line in lines {
            guard let first = line.first else { continue }
            ccairo_move(handle, first.x, first.y)
            // Round line caps make a line of one point a dot.
            for spot in line.count > 1 ? line[1...] : line[...] {
                ccairo_line(handle, spot.x, spot.y)
            }
        }
        ccairo_stroke(handle, width)
    }

    /// Fills a polygon.
    func fill(_ line: [Spot], _ ink: Ink) {
        guard let first = line.first else { return }
        use(ink)
        ccairo_move(handle, first.x, first.y)
        for spot in line.dropFirst() { ccairo_line(handle, spot.x, spot.y) }
        ccairo_fill(handle)
    }

    func fillCircle(_ middle: Spot, radius: Double, _ ink: Ink) {
        use(ink)
        ccairo_circle(handle, middle.x, middle.y, radius)
        ccairo_fill(handle)
    }

    func fill(_ frame: Frame, _ ink: Ink) {
        use(ink)
        ccairo_rectangle(handle, frame.left, frame.top, frame.width, frame.height)
        ccairo_fill(handle)
    }

    /// Draws with output clipped to a frame.
    func clipped(to frame: Frame, _ draw: () -> Void) {
        ccairo_rectangle(handle, frame.left, frame.top, frame.width, frame.height)
        ccairo_clip(handle)
        draw()
        ccairo_unclip(handle)
    }

    private func use(_ ink: Ink) { ccairo_colour(handle, ink.red, ink.green, ink.blue, ink.alpha) }
}

/// Text.
extension Page {
    struct Font: Hashable, Sendable {
        let size: Double
        var isBold = false
    }

    /// The part of a text that is placed at its spot.
    enum Anchor: Double, Sendable {
        case start = 0
        case middle = 0.5
        case end = 1
    }

    /// Returns the width of a text in points, with control characters removed.
    func width(of text: String, _ font: Font) -> Double {
        ccairo_text_width(handle, text.withoutControls, font.size, font.isBold)
    }

    /// Writes a text on a baseline, with control characters removed.
    func write(_ text: String, at spot: Spot, _ font: Font, _ ink: Ink, anchor: Anchor = .start) {
        let left = spot.x - width(of: text, font) * anchor.rawValue
        use(ink)
        ccairo_text(handle, text.withoutControls, left, spot.y, font.size, font.isBold)
    }

    /// Returns the text, truncated with `…` if it is wider than `limit` points.
    func shortened(_ text: String, _ font: Font, to limit: Double) -> String {
        guard width(of: text, font) > limit else { return text }
        var columns = min(text.displayWidth, Int(limit))
        while columns > 1, width(of: text.shortened(to: columns), font) > limit { columns -= 1 }
        return text.shortened(to: columns)
    }
}
