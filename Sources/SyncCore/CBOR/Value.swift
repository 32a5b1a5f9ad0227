/// What a cell can hold: a CBOR scalar, list or text-keyed map (`value` in `wire-format.cddl`).
public enum Value: Hashable, Sendable {
    /// The unset cell; what was written before stays in the history.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// A finite number; `-0.0` is kept.
    case float(Double)
    /// Text, compared byte by byte.
    case text(Text)
    /// Bytes, such as an identifier or a digest.
    case bytes([UInt8])
    /// Values in an order that means something.
    case list([Value])
    /// Values by name.
    case map([Text: Value])
}

extension Value {
    /// The text of a text value.
    public var text: String? {
        if case .text(let text) = self { text.string } else { nil }
    }

    /// The number of an integer value.
    public var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The number of an integer or float value.
    public var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .float(let number): number
        default: nil
        }
    }

    /// The truth of a bool value.
    public var bool: Bool? {
        if case .bool(let truth) = self { truth } else { nil }
    }

    /// The bytes of a bytes value.
    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// The values of a list.
    public var list: [Value]? {
        if case .list(let values) = self { values } else { nil }
    }

    /// The values of a map.
    public var map: [Text: Value]? {
        if case .map(let values) = self { values } else { nil }
    }
}

extension Value {
    /// The deterministic CBOR of the value.
    public var encoded: [UInt8] {
        var encoder = CBOREncoder()
        encoder.value(self)
        return encoder.bytes
    }

    /// Reads one value and nothing after it, with every codec rule checked.
    public init(decoding bytes: some Collection<UInt8>) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        self = try decoder.value()
        try decoder.finish()
    }
}
