/// Reads Garmin FIT piece by piece (https://developer.garmin.com/fit/protocol/).
///
/// Supports both byte orders, compressed timestamps, developer fields that map to a native field,
/// and chained files, each of which becomes a track. All checksums are verified.
package struct FITReader: RecordingReader {
    private var input = Input()
    private var stage = Stage.header
    /// Definitions by local message type.
    private var definitions = [FITDefinition?](repeating: nil, count: 16)
    /// Bytes left in the messages of the current file.
    private var remaining = 0
    private var lastTimestamp: Int64 = 0
    private var builder = FITBuilder()

    private static let headerSizes = 12...255

    private enum Stage { case header, messages, checksum }

    package mutating func feed(_ bytes: [UInt8]) throws(FormatError) {
        input.append(bytes)
        while try step() {}
    }

    package mutating func finish() throws(FormatError) -> ImportedFile {
        guard stage == .header, input.count == 0, !builder.file.tracks.isEmpty
        else { throw error(.truncated) }
        return builder.file
    }

    package mutating func salvage() -> ImportedFile {
        builder.endFile()
        return builder.file
    }

    private func error(_ reason: FormatError.Reason) -> FormatError {
        FormatError(byte: input.position, reason: reason)
    }

    /// Returns false if more bytes are needed.
    private mutating func step() throws(FormatError) -> Bool {
        switch stage {
        case .header: return try readHeader()
        case .messages where remaining == 0:
            stage = .checksum
            return true
        case .messages: return try readMessage()
        case .checksum: return try readChecksum()
        }
    }

    private mutating func readHeader() throws(FormatError) -> Bool {
        guard input.count > 0 else { return false }
        let size = Int(input[0])
        guard Self.headerSizes.contains(size) else { throw error(.notThisFormat) }
        guard input.count >= 12 else { return false }
        guard (8..<12).map({ input[$0] }) == Array(".FIT".utf8) else { throw error(.notThisFormat) }
        guard input.count >= size else { return false }
        guard builder.file.tracks.count < ImportedFile.trackLimit else { throw error(.tooLarge) }
        remaining = (4..<8).reversed().reduce(0) { $0 << 8 | Int(input[$1]) }
        let stated = size >= 14 ? input.littleEndian(12) : 0
        guard stated == 0 || input.checksum(of: 12) == stated else { throw error(.badChecksum) }
        input.running = 0
        input.drop(size)
        definitions = [FITDefinition?](repeating: nil, count: 16)
        lastTimestamp = 0
        builder.beginFile()
        stage = .messages
        // A device that lost power during the recording never wrote the size.
        if remaining == 0 { remaining = .max }
        return true
    }

    private mutating func readChecksum() throws(FormatError) -> Bool {
        guard input.count >= 2 else { return false }
        guard input.littleEndian(0) == input.running else { throw error(.badChecksum) }
        input.drop(2)
        builder.endFile()
        stage = .header
        return true
    }

    private mutating func readMessage() throws(FormatError) -> Bool {
        guard input.count > 0 else { return false }
        let head = input[0]
        return try head & 0xc0 == 0x40 ? readDefinition(head) : readData(head)
    }

    private mutating func take(_ count: Int) throws(FormatError) {
        guard count <= remaining else { throw error(.truncated) }
        input.drop(count)
        if remaining != .max { remaining -= count }
    }

    private mutating func readDefinition(_ head: UInt8) throws(FormatError) -> Bool {
        guard input.count >= 6 else { return false }
        let fieldEnd = 6 + Int(input[5]) * 3
        var end = fieldEnd
        if head & 0x20 != 0 {
            guard input.count > fieldEnd else { return false }
            end = fieldEnd + 1 + Int(input[fieldEnd]) * 3
        }
        guard input.count >= end else { return false }
        let definition = FITDefinition(
            fields: (0..<Int(input[5])).map {
                (input[6 + $0 * 3], input[7 + $0 * 3], input[8 + $0 * 3])
            },
            developerFields: stride(from: fieldEnd + 1, to: end, by: 3).map {
                (input[$0], input[$0 + 1], input[$0 + 2])
            },
            global: input[2] == 0 ? input.littleEndian(3) : input.littleEndian(3).byteSwapped,
            isBigEndian: input[2] != 0
        )
        definitions[Int(head & 0x0f)] = definition
        try take(end)
        return true
    }

    private mutating func readData(_ head: UInt8) throws(FormatError) -> Bool {
        let isCompressed = head & 0x80 != 0
        let local = Int(isCompressed ? head >> 5 & 0x03 : head & 0x0f)
        guard let definition = definitions[local] else { throw error(.noDefinition(local)) }
        guard input.count > definition.size else { return false }
        let message = input.message(definition)
        let step = (Int64(head & 0x1f) - lastTimestamp) & 0x1f
        let compressed = isCompressed ? lastTimestamp + step : nil
        let timestamp = message.integer(FITMessage.timestamp) ?? compressed
        lastTimestamp = timestamp ?? lastTimestamp
        builder.add(message, at: timestamp)
        try take(1 + definition.size)
        return true
    }
}

extension FITReader {
    /// Unread bytes and the running checksum of those already read.
    private struct Input {
        private var bytes: [UInt8] = []
        private var start = 0
        /// The file offset of the next byte.
        private(set) var position = 0
        /// The CRC of the bytes dropped since the caller set it to zero.
        var running: UInt16 = 0

        var count: Int { bytes.count - start }
        subscript(_ index: Int) -> UInt8 { bytes[start + index] }
        func littleEndian(_ index: Int) -> UInt16 {
            UInt16(self[index]) | UInt16(self[index + 1]) << 8
        }

        mutating func append(_ piece: [UInt8]) {
            bytes.removeFirst(start)
            start = 0
            bytes += piece
        }

        mutating func drop(_ count: Int) {
            running = Self.checksum(bytes[start..<start + count], from: running)
            start += count
            position += count
        }

        func checksum(of count: Int) -> UInt16 {
            Self.checksum(bytes[start..<start + count], from: 0)
        }

        /// Returns the message after the header byte.
        func message(_ definition: FITDefinition) -> FITMessage {
            FITMessage(definition: definition, bytes: bytes[(start + 1)...].prefix(definition.size))
        }

        private static func checksum(_ bytes: ArraySlice<UInt8>, from start: UInt16) -> UInt16 {
            bytes.reduce(start) { sum, byte in
                sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)]
            }
        }

        /// CRC-16 with polynomial 0xA001, reflected; the specification computes it by nibbles.
        private static let table: [UInt16] = (0..<256).map { index in
            (0..<8).reduce(UInt16(index)) { sum, _ in sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xa001) }
        }
    }
}
