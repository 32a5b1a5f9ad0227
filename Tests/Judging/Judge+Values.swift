import SyncCore

extension Judge {
    static func value(_ vector: Vector) throws -> Judgement {
        let value = try Value(decoding: vector.bytes("input"))
        var judgement = Judgement(encoded: value.encoded)
        judgement.findings["decoded"] = [.text(value.diagnostic)]
        return judgement
    }

    /// The greatest cell of each place, in sum.
    static func fingerprint(_ vector: Vector) throws -> Judgement {
        var cells: [Key: Cell] = [:]
        for bytes in try vector.allBytes("cell") {
            let change = try change(from: bytes)
            cells[change.key, default: change.cell].merge(change.cell)
        }
        let sum = cells.reduce(into: Fingerprint()) {
            $0.add(Change(key: $1.key, cell: $1.value).digest)
        }
        var judgement = Judgement()
        judgement.findings["fingerprint"] = [.bytes(sum.bytes)]
        return judgement
    }

    private static func change(from bytes: [UInt8]) throws -> Change {
        var decoder = CBORDecoder(bytes)
        try decoder.array(count: 6)
        let key = Key(try decoder.text(), try decoder.row(), try decoder.text())
        let stamp = Stamp(time: try decoder.unsigned(), replica: try decoder.identifier())
        let cell = Cell(stamp: stamp, encoded: Array(try decoder.encodedValue(below: 1)))
        try decoder.finish()
        return Change(key: key, cell: cell)
    }
}

extension Sample {
    /// `channel=count` for each reading.
    var written: String {
        readings.map { "\($0.channel)=\($0.count)" }.joined(separator: " ")
    }
}

extension Value {
    /// Diagnostic notation (RFC 8949, section 8), with floats by their bits.
    fileprivate var diagnostic: String {
        switch self {
        case .null: "null"
        case .bool(let truth): "\(truth)"
        case .integer(let number): "\(number)"
        case .float(let number): "double'\(number.bitPattern.bigEndianBytes.hexadecimal)'"
        case .text(let text): text.quoted
        case .bytes(let bytes): "h'\(bytes.hexadecimal)'"
        case .list(let values): "[" + values.map(\.diagnostic).joined(separator: ", ") + "]"
        case .map(let pairs):
            "{"
                + pairs.sorted { $0.key < $1.key }
                .map { "\($0.key.quoted): \($0.value.diagnostic)" }.joined(separator: ", ") + "}"
        }
    }
}

extension Text {
    fileprivate var quoted: String {
        let escaped = string.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.value < 0x20:
                "\\u00" + [UInt8(scalar.value)].hexadecimal
            default: "\(scalar)"
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}
