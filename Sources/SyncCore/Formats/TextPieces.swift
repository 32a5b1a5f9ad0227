/// Buffers text for a file and sends it in pieces of about 32 KiB.
struct TextPieces {
    private let sink: ([UInt8]) throws -> Void
    private var buffer: [UInt8] = []

    private static let pieceSize = 32 << 10

    init(to sink: @escaping ([UInt8]) throws -> Void) {
        self.sink = sink
        buffer.reserveCapacity(Self.pieceSize + 1024)
    }

    /// Appends text without escaping.
    mutating func append(_ text: String) { buffer.append(contentsOf: text.utf8) }

    /// Sends the buffer if it holds at least one piece.
    mutating func sendIfFull() throws {
        if buffer.count >= Self.pieceSize { try send() }
    }

    mutating func send() throws {
        try sink(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}

/// XML elements.
extension TextPieces {
    /// Appends an element with escaped text, unless the text is nil or empty.
    mutating func element(_ name: String, _ text: String?) {
        guard let text, !text.isEmpty else { return }
        append("<\(name)>")
        for scalar in text.unicodeScalars { append(escaped: scalar) }
        append("</\(name)>")
    }

    /// Appends an element whose text needs no escaping, unless the text is nil.
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

    /// Escapes markup characters and drops characters that XML 1.0 cannot represent.
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

/// JSON strings.
extension TextPieces {
    /// Appends a quoted string (RFC 8259) without the control characters that XML forbids.
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
