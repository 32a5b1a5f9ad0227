/// A value of a cell: a CBOR scalar, list or text-keyed map (`value` in `wire-format.cddl`).
public enum Value: Hashable, Sendable {
    /// An unset cell; earlier values remain in the history.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// A finite number; `-0.0` is preserved.
    case float(Double)
    /// Text, compared byte by byte.
    case text(Text)
    /// Bytes, such as an identifier or a digest.
    case bytes([UInt8])
    /// Values whose order is significant.
    case list([Value])
    /// Values by name.
    case map([Text: Value])
}

extension Value {
    /// The text, or nil if this is not a text value.
    public var text: String? {
        if case .text(let text) = self { text.string } else { nil }
    }

    /// The number, or nil if this is not an integer value.
    public var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The number, or nil if this is neither an integer nor a float value.
    public var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .float(let number): number
        default: nil
        }
    }

    /// The truth value, or nil if this is not a bool value.
    public var bool: Bool? {
        if case .bool(let truth) = self { truth } else { nil }
    }

    /// The bytes, or nil if this is not a bytes value.
    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// The values, or nil if this is not a list.
    public var list: [Value]? {
        if case .list(let values) = self { values } else { nil }
    }

    /// The values by name, or nil if this is not a map.
    public var map: [Text: Value]? {
        if case .map(let values) = self { values } else { nil }
    }
}

extension Value {
    /// The value encoded as deterministic CBOR.
    public var encoded: [UInt8] {
        var encoder = CBOREncoder()
        encoder.value(self)
        return encoder.bytes
    }

    /// Decodes exactly one value and checks every encoding rule.
    public init(decoding bytes: some Collection<UInt8>) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        self = try decoder.value()
        try decoder.finish()
    }
}
