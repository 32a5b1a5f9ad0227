/// The cells of one row, packed into one database value.
///
/// For each cell, ascending by field: the field's byte count and bytes, the number under which this
/// database knows the stamp's replica, the stamp time, the value's byte count and bytes. All
/// numbers are LEB128. Only this database reads and writes the record.
package struct CellRecord {
    package var cells: [Text: Cell] = [:]
}

extension CellRecord {
    /// Reads a record; `replica` returns the replica id behind a number.
    package init(decoding bytes: [UInt8], replica: (Int64) throws -> Identifier) throws {
        self.init()
        var reader = Reader(bytes: bytes)
        while !reader.isAtEnd {
            guard let field = Text(utf8: try reader.counted()) else {
                throw ReplicaError.damagedRecord
            }
            let writer = try replica(Int64(clamping: try reader.number()))
            cells[field] = Cell(
                stamp: Stamp(time: try reader.number(), replica: writer),
                encoded: Array(try reader.counted())
            )
        }
    }

    /// Returns the packed cells; `number` returns the number of a replica id.
    package func encoded(number: (Identifier) throws -> Int64) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for (field, cell) in cells.sorted(by: { $0.key < $1.key }) {
            bytes.appendCounted(field.utf8)
            bytes.appendNumber(UInt64(try number(cell.stamp.replica)))
            bytes.appendNumber(cell.stamp.time)
            bytes.appendCounted(cell.encoded)
        }
        return bytes
    }

    private struct Reader {
        let bytes: [UInt8]
        var index = 0

        var isAtEnd: Bool { index == bytes.count }

        mutating func number() throws -> UInt64 {
            var number: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 7) {
                guard index < bytes.count else { throw ReplicaError.damagedRecord }
                let byte = bytes[index]
                index += 1
                number |= UInt64(byte & 0x7f) << shift
                if byte < 0x80 { return number }
            }
            throw ReplicaError.damagedRecord
        }

        mutating func counted() throws -> ArraySlice<UInt8> {
            let count = try number()
            guard count <= UInt64(bytes.count - index) else { throw ReplicaError.damagedRecord }
            defer { index += Int(count) }
            return bytes[index..<index + Int(count)]
        }
    }
}

extension [UInt8] {
    fileprivate mutating func appendNumber(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    fileprivate mutating func appendCounted(_ content: [UInt8]) {
        appendNumber(UInt64(content.count))
        append(contentsOf: content)
    }
}
