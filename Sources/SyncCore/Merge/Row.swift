/// The name of a row within its collection: an identifier or a text.
public enum Row: Hashable, Sendable {
    /// An id made for the row, such as a track's.
    case id(Identifier)
    /// A text that names the row, such as a scope of settings.
    case text(Text)
}

extension Row {
    /// The deterministic CBOR of the name: a byte string of 16, or a text string.
    package var encoded: [UInt8] {
        var encoder = CBOREncoder(capacity: 17)
        encoder.row(self)
        return encoder.bytes
    }

    /// Decodes exactly one encoded name.
    package init(decoding bytes: some Collection<UInt8>) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        self = try decoder.row()
        try decoder.finish()
    }

    /// The identifier, or nil if the row is named by a text.
    public var id: Identifier? {
        if case .id(let id) = self { id } else { nil }
    }
}

extension Row: Comparable, CustomStringConvertible {
    /// Orders by the encoding: identifiers come before texts.
    public static func < (left: Row, right: Row) -> Bool {
        switch (left, right) {
        case (.id(let left), .id(let right)): left < right
        case (.text(let left), .text(let right)): left < right
        case (.id, .text): true
        case (.text, .id): false
        }
    }

    /// The text form of the identifier, or the text.
    public var description: String {
        switch self {
        case .id(let id): id.description
        case .text(let text): text.string
        }
    }
}

extension CBOREncoder {
    package mutating func row(_ row: Row) {
        switch row {
        case .id(let id): identifier(id)
        case .text(let text): self.text(text)
        }
    }
}

extension CBORDecoder {
    package mutating func row() throws(CBORError) -> Row {
        let start = offset
        switch try value() {
        case .text(let text): return .text(text)
        case .bytes(let bytes):
            guard let id = Identifier(bytes: bytes) else { throw .unexpected(offset: start) }
            return .id(id)
        default: throw .unexpected(offset: start)
        }
    }

    package mutating func identifier() throws(CBORError) -> Identifier {
        let start = offset
        guard let id = Identifier(bytes: try bytes()) else { throw .unexpected(offset: start) }
        return id
    }
}
