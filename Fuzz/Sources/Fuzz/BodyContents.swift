import SyncCore

/// The cells of a body, read loosely as far as they can be, for a header that fits it.
struct BodyContents {
    private(set) var changes: [Change] = []

    init(_ body: [UInt8]) {
        var decoder = CBORDecoder(body)
        // Whatever cannot be read is for the reader under test to refuse.
        try? readGroups(from: &decoder)
    }

    private mutating func readGroups(from decoder: inout CBORDecoder) throws(CBORError) {
        for _ in 0..<(try decoder.array()) {
            try decoder.array(count: 3)
            let collection = try decoder.text()
            let row = try decoder.row()
            for _ in 0..<(try decoder.map()) {
                let key = Key(collection, row, try decoder.text())
                try decoder.array(count: 2)
                let stamp = Stamp(time: try decoder.unsigned(), replica: .zero)
                let value = try decoder.encodedValue(below: Limits.bodyDepth)
                changes.append(Change(key: key, cell: Cell(stamp: stamp, encoded: Array(value))))
            }
        }
    }
}
