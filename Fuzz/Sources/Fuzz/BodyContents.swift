import SyncCore

/// The cells of a body, read loosely as far as they can be, for a header that fits it.
struct BodyContents {
    private(set) var cellCount = 0
    /// The cells that name a chunk, and others; the keys only keep the order of rows and fields.
    private(set) var changes: [Change] = []

    init(_ body: [UInt8]) {
        var decoder = CBORDecoder(body)
        // Whatever cannot be read is for the reader under test to refuse.
        try? readColumns(from: &decoder)
    }

    private mutating func readColumns(from decoder: inout CBORDecoder) throws(CBORError) {
        try decoder.array(count: 6)
        _ = try decoder.item()
        _ = try decoder.item()
        // The last byte of each varint has its highest bit clear.
        cellCount = try decoder.bytes().count { $0 < 0x80 }
        let rows = indices(try decoder.bytes())
        let fields = indices(try decoder.bytes())
        for field in 0..<(try decoder.array()) {
            var cells = fields.indices.filter { fields[$0] == field }[...]
            for _ in 0..<(try decoder.array()) {
                let value = try decoder.encodedValue(below: Limits.bodyDepth)
                guard let cell = cells.popFirst() else { continue }
                changes.append(change(row: rows[cell], field: field, value))
            }
        }
    }

    /// The index of each cell; the number of bytes says how many each has.
    private func indices(_ planes: ArraySlice<UInt8>) -> [Int] {
        let bytes = Array(planes)
        return (0..<cellCount).map { cell in
            stride(from: cell, to: bytes.count / cellCount * cellCount, by: cellCount)
                .reduce(0) { ($0 << 8 | Int(bytes[$1])) & 0xffff }
        }
    }

    private func change(row: Int, field: Int, _ value: ArraySlice<UInt8>) -> Change {
        let name = Text(String(100_000 + field))
        return Change(
            key: Key("", .id(Identifier(number: UInt128(row))), name),
            cell: Cell(stamp: Stamp(time: 0, replica: .zero), encoded: Array(value))
        )
    }
}
