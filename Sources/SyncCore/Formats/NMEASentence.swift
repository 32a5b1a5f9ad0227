/// An NMEA 0183 sentence with a verified checksum, split into type and fields.
struct NMEASentence {
    /// Three characters, such as `RMC`; the talker prefix is dropped.
    let type: String
    /// The comma-separated fields after the type, including empty ones.
    let fields: [ArraySlice<UInt8>]

    /// Why a line is not a valid sentence.
    enum Failure: Error {
        case unreadable
        case badChecksum
        case missingChecksum
    }

    /// Parses a line without its line end, starting at its last `$` or `!`.
    init(_ line: ArraySlice<UInt8>, acceptsMissingChecksum: Bool = false) throws(Failure) {
        guard let start = line.lastIndex(where: { $0 == 0x24 || $0 == 0x21 })
        else { throw .unreadable }
        var body = line[(start + 1)...]
        if let star = body.lastIndex(of: UInt8(ascii: "*")) {
            let sum = body[..<star].reduce(0, ^)
            let digits = String(decoding: line[(star + 1)...].prefix(2), as: UTF8.self)
            guard [UInt8](hexadecimal: digits) == [sum]
            else { throw Self.hasAddress(body) ? .badChecksum : .unreadable }
            body = body[..<star]
        } else if !acceptsMissingChecksum {
            throw Self.hasAddress(body) ? .missingChecksum : .unreadable
        }
        var fields = body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard let address = fields.first, Self.isAddress(address) else { throw .unreadable }
        fields.removeFirst()
        self.fields = fields
        type = String(decoding: address.suffix(3), as: UTF8.self)
    }

    /// Two letters of talker and three of type; proprietary sentences have four or more.
    private static func isAddress(_ text: ArraySlice<UInt8>) -> Bool {
        4...15 ~= text.count && text.allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x5a ~= $0 }
    }

    /// Returns whether the text starts with a sentence address; noise does not.
    private static func hasAddress(_ body: ArraySlice<UInt8>) -> Bool {
        isAddress(body.prefix { $0 != UInt8(ascii: ",") })
    }

    /// The text of a field, or empty if the field is missing.
    func text(_ index: Int) -> ArraySlice<UInt8> { index < fields.count ? fields[index] : [] }

    /// Returns whether the field is exactly this character.
    func has(_ index: Int, _ character: Unicode.Scalar) -> Bool {
        text(index).elementsEqual([UInt8(ascii: character)])
    }

    func number(_ index: Int) -> Double? { Decimal(text(index))?.value }

    /// A number whose sign is given by the next field.
    func number(_ index: Int, _ positive: Unicode.Scalar, _ negative: Unicode.Scalar) -> Double? {
        guard let number = number(index) else { return nil }
        if has(index + 1, positive) { return number }
        return has(index + 1, negative) ? -number : nil
    }

    /// Milliseconds since midnight, from `hhmmss` with any fraction; a leap second (60) is allowed.
    func timeOfDay(_ index: Int) -> Int64? {
        guard let clock = Decimal(text(index))?.count(decimals: 3),
            text(index).prefix(6).allSatisfy({ $0.digit != nil }), text(index).count >= 6
        else { return nil }
        let (hour, minute) = (clock / 10_000_000, clock / 100_000 % 100)
        let milliseconds = clock % 100_000
        guard 0..<24 ~= hour, minute < 60, milliseconds < 61_000 else { return nil }
        return (hour * 60 + minute) * 60_000 + milliseconds
    }

    /// Parses a position from four fields, `ddmm.mmmm,N,dddmm.mmmm,E`.
    func coordinate(_ index: Int) -> Coordinate? {
        guard let latitude = angle(index, "N", "S"), let longitude = angle(index + 2, "E", "W")
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// Converts degrees and minutes in one number to 1e-7 degrees.
    private func angle(
        _ index: Int,
        _ positive: Unicode.Scalar,
        _ negative: Unicode.Scalar
    ) -> Int64? {
        guard let number = number(index), 0..<100_000 ~= number,
            has(index + 1, positive) || has(index + 1, negative)
        else { return nil }
        let degrees = (number / 100).rounded(.down)
        let minutes = number - degrees * 100
        guard minutes < 60 else { return nil }
        let count = Int64(((degrees + minutes / 60) * 1e7).rounded())
        return has(index + 1, negative) ? -count : count
    }
}
