/// The layout of a FIT message, as the definition of its local type states it.
struct FITDefinition {
    /// Garmin's global message number.
    let global: UInt16
    let isBigEndian: Bool
    /// By field number.
    private(set) var fields: [UInt8: Place] = [:]
    /// In file order, so that every device picks the same of two fields that map to one channel.
    private(set) var developerFields: [(field: FITDeveloperField, place: Place)] = []
    /// The size of a message in bytes, without its header byte.
    private(set) var size = 0

    /// The location of a field in a message.
    struct Place {
        let offset: Int
        let size: Int
        /// The base type's number without the endian flag, or 0xff for a developer field.
        let type: UInt8
    }

    /// Takes fields as (number, size, type) and developer fields as (number, size, developer).
    init(
        fields: [(UInt8, UInt8, UInt8)],
        developerFields: [(UInt8, UInt8, UInt8)],
        global: UInt16,
        isBigEndian: Bool
    ) {
        (self.global, self.isBigEndian) = (global, isBigEndian)
        for (number, byteCount, type) in fields {
            self.fields[number] = Place(offset: size, size: Int(byteCount), type: type & 0x1f)
            size += Int(byteCount)
        }
        for (number, byteCount, developer) in developerFields {
            let field = FITDeveloperField(developer: developer, number: number)
            let place = Place(offset: size, size: Int(byteCount), type: 0xff)
            self.developerFields.append((field, place))
            size += Int(byteCount)
        }
    }
}

/// A field outside Garmin's profile.
struct FITDeveloperField: Hashable {
    let developer: UInt8
    let number: UInt8
}

/// A message with its layout.
struct FITMessage {
    let definition: FITDefinition
    let bytes: ArraySlice<UInt8>

    /// The field that several kinds of messages share.
    static let timestamp: UInt8 = 253

    /// A whole number of at most 32 bits, or nil if the field is missing or marked as invalid.
    ///
    /// Garmin's profile defines none of our fields wider than 32 bits. The limit prevents overflow
    /// if a file does.
    func integer(_ field: UInt8) -> Int64? {
        definition.fields[field].flatMap { integer(at: $0, type: $0.type) }
            .flatMap { Self.range.contains($0) ? $0 : nil }
    }

    private static let range = Int64(Int32.min)...Int64(UInt32.max)

    /// The text of a field, or empty if there is none.
    func text(_ field: UInt8) -> String {
        guard let place = definition.fields[field], place.type == 7 else { return "" }
        let start = bytes.startIndex + place.offset
        let text = bytes[start..<start + place.size].prefix { $0 != 0 }
        return String(decoding: text, as: UTF8.self)
    }

    /// A developer field's number, read with the base type from its description.
    func number(at place: FITDefinition.Place, type: UInt8) -> Double? {
        if let integer = integer(at: place, type: type) { return Double(integer) }
        guard let width = Self.floatWidths[type], place.size >= width else { return nil }
        let bits = raw(place.offset, width)
        let value =
            width == 4
            ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
        return value.isFinite ? value : nil
    }

    private static let floatWidths: [UInt8: Int] = [8: 4, 9: 8]

    /// The width in bytes of a base type, whether it is signed, and whether zero means no value.
    private static func shape(_ type: UInt8) -> (width: Int, isSigned: Bool, isZeroNone: Bool)? {
        switch type {
        case 0, 2, 13: (1, false, false)
        case 1: (1, true, false)
        case 3: (2, true, false)
        case 4: (2, false, false)
        case 5: (4, true, false)
        case 6: (4, false, false)
        case 10: (1, false, true)
        case 11: (2, false, true)
        case 12: (4, false, true)
        case 14: (8, true, false)
        case 15: (8, false, false)
        case 16: (8, false, true)
        default: nil
        }
    }

    /// The first number of a field, or nil if it is invalid or exceeds 63 bits.
    private func integer(at place: FITDefinition.Place, type: UInt8) -> Int64? {
        guard let (width, isSigned, isZeroNone) = Self.shape(type), place.size >= width else {
            return nil
        }
        let bits = raw(place.offset, width)
        let full: UInt64 = width == 8 ? .max : (1 << UInt64(width * 8)) - 1
        let none: UInt64 = isZeroNone ? 0 : isSigned ? full >> 1 : full
        guard bits != none else { return nil }
        guard isSigned else { return Int64(exactly: bits) }
        let shift = UInt64(64 - width * 8)
        return Int64(bitPattern: bits << shift) >> Int64(shift)
    }

    private func raw(_ offset: Int, _ width: Int) -> UInt64 {
        let start = bytes.startIndex + offset
        var bits: UInt64 = 0
        for index in 0..<width {
            let byte = bytes[start + (definition.isBigEndian ? index : width - 1 - index)]
            bits = bits << 8 | UInt64(byte)
        }
        return bits
    }
}
