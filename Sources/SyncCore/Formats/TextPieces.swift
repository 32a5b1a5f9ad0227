/// Text on its way to a file, in pieces of about 32 KiB.
struct TextPieces {
    private let sink: ([UInt8]) throws -> Void
    private var buffer: [UInt8] = []

    private static let pieceSize = 32 << 10

    /// Nothing yet.
    init(to sink: @escaping ([UInt8]) throws -> Void) {
        self.sink = sink
        buffer.reserveCapacity(Self.pieceSize + 1024)
    }

    /// Adds text as it is.
    mutating func append(_ text: String) {
        buffer.append(contentsOf: text.utf8)
    }

    /// Sends what there is once it makes a piece.
    mutating func sendIfFull() throws {
        if buffer.count >= Self.pieceSize { try send() }
    }

    /// Sends what there is.
    mutating func send() throws {
        try sink(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Elements of XML.
extension TextPieces {
    /// An element with text; nothing where the text is missing or empty.
    mutating func element(_ name: String, _ text: String?) {
        guard let text, !text.isEmpty else { return }
        append("<\(name)>")
        for scalar in text.unicodeScalars { append(escaped: scalar) }
        append("</\(name)>")
    }

    /// An element with a number or another text that needs no escape; nothing where it is missing.
    mutating func element(_ name: String, raw text: String?) {
        guard let text else { return }
        append("<")
        append(name)
        append(">")
        append(text)
        append("</")
        append(name)
        append(">")
    }

    /// Escapes what XML gives a meaning, and drops what it cannot hold.
    private mutating func append(escaped scalar: Unicode.Scalar) {
        switch scalar {
        case "&": append("&amp;")
        case "<": append("&lt;")
        case ">": append("&gt;")
        case "\r": append("&#13;")
        case "\t", "\n": append(String(scalar))
        case "\u{0}"..."\u{1f}", "\u{fffe}", "\u{ffff}": break
        default: append(String(scalar))
        }
    }
}

/// Strings of JSON.
extension TextPieces {
    /// Quoted text (RFC 8259), without the control characters that XML cannot hold either.
    mutating func json(_ text: String) {
        append("\"")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": append("\\\"")
            case "\\": append("\\\\")
            case "\n": append("\\n")
            case "\r": append("\\r")
            case "\t": append("\\t")
            case "\u{0}"..."\u{1f}": break
            default: append(String(scalar))
            }
        }
        append("\"")
    }
}
