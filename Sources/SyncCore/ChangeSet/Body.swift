/// The body of a change set: its cells, column by column.
///
/// The header names the body by its SHA-256. A body is one array of deterministic CBOR:
/// ```
/// body   = [ rows: [+ [ collection: tstr, ids: bstr, texts: [* tstr] ]],
///            fields: [+ tstr], times: bstr, row-of: bstr, field-of: bstr,
///            values: [+ [+ value]] ]
/// ```
/// - The cells are in the order of their stamp times; equal times in the order of row and field.
/// - `rows` ascend by collection, then ids before texts, each strictly. `ids` holds 16 bytes a row
///   in planes: the first byte of every id, then the second of every id, and so on. The leading
///   planes of sorted ids hardly vary, so they compress to almost nothing.
/// - `fields` ascend strictly. Every row and every field has a cell.
/// - `times` holds a varint (LEB128, in the fewest bytes) for each cell: the difference from the
///   cell before, at first from the header's low stamp.
/// - `row-of` and `field-of` hold the index of each cell's row and field, in as many bytes as the
///   greatest index needs (none for a single row or field), the most significant plane first.
/// - `values` has a list for each field: the values of its cells, in the order of the cells.
///
/// A row and field has at most one cell. So the same cells have exactly one body.
package enum Body {
    /// A body, and where one column ends and the next begins.
    package struct Encoded: Equatable {
        package let bytes: [UInt8]
        /// The offsets at which compression begins a new block.
        let blocks: [Int]
    }

    /// Encodes changes of one replica.
    ///
    /// The keys must be distinct, and no stamp time may be below `low`.
    package static func encode(_ changes: [Change], from low: UInt64) -> Encoded {
        var writer = BodyWriter(changes)
        writer.encoder.array(6)
        writer.writeRows()
        writer.writeFields()
        writer.writeTimes(from: low)
        writer.writeIndices()
        writer.writeValues()
        return Encoded(bytes: writer.encoder.bytes, blocks: writer.blocks)
    }

    /// Returns the chunks that changes name, in the order of their keys, each once.
    package static func chunks(of changes: [Change]) -> [ChunkName] {
        let naming = changes.filter { ChunkReference($0.cell) != nil }
        return chunks(naming.sorted { $0.key < $1.key }.compactMap { ChunkReference($0.cell) })
    }

    static func chunks(_ references: [ChunkReference]) -> [ChunkName] {
        var seen: Set<Digest> = []
        return references.filter { seen.insert($0.hash).inserted }
            .map { ChunkName(hash: $0.hash, byteCount: $0.byteCount) }
    }

    /// The bytes that an index below `count` takes.
    static func indexWidth(below count: Int) -> Int {
        count <= 1 ? 0 : count <= 1 << 8 ? 1 : 2
    }
}

extension Body.Encoded {
    /// Smaller bodies are not compressed, because they would not get smaller.
    private static let compressionThreshold = 200

    /// Returns the body as it is sent, and its encoding.
    func compressed() -> (bytes: [UInt8], encoding: Header.Encoding) {
        guard bytes.count > Self.compressionThreshold else { return (bytes, .plain) }
        let frame = Zstandard.compress(bytes, blocksFrom: blocks)
        return frame.count < bytes.count ? (frame, .zstandard) : (bytes, .plain)
    }
}

private struct BodyWriter {
    var encoder = CBOREncoder()
    var blocks: [Int] = []
    private let changes: [Change]
    private let rows: [Key]
    private let fields: [Text]
    /// The changes in body order, with the indices of their rows and fields.
    private var cells: [(row: Int, field: Int, change: Int)] = []

    /// Smaller blocks would lose more by their tables than they gain.
    private static let blockByteCount = 4096

    init(_ changes: [Change]) {
        self.changes = changes
        rows = Set(changes.map(\.key.rowName)).sorted()
        fields = Set(changes.map(\.key.field)).sorted()
        precondition(
            changes.count <= Limits.cellLimit,
            "a set has at most \(Limits.cellLimit) cells"
        )
        let rowIndices = Dictionary(uniqueKeysWithValues: zip(rows, rows.indices))
        let fieldIndices = Dictionary(uniqueKeysWithValues: zip(fields, fields.indices))
        for (index, change) in changes.enumerated() {
            guard let row = rowIndices[change.key.rowName],
                let field = fieldIndices[change.key.field]
            else { preconditionFailure("every row and field was collected") }
            cells.append((row, field, index))
        }
        cells.sort {
            let (left, right) = (changes[$0.change].cell.stamp, changes[$1.change].cell.stamp)
            return (left.time, $0.row, $0.field) < (right.time, $1.row, $1.field)
        }
    }

    mutating func writeRows() {
        let groups = rows.chunked { $0.collection == $1.collection }
        encoder.array(groups.count)
        for group in groups {
            let ids = group.compactMap(\.row.id)
            encoder.array(3)
            encoder.text(group.first?.collection ?? "")
            encoder.bytes(planes(of: ids.map(\.number), byteCount: 16))
            encoder.array(group.dropFirst(ids.count)) { encoder, name in encoder.row(name.row) }
        }
        beginBlock()
    }

    mutating func writeFields() { encoder.array(fields) { $0.text($1) } }

    mutating func writeTimes(from low: UInt64) {
        var (times, previous): ([UInt8], UInt64) = ([], low)
        for cell in cells {
            let time = changes[cell.change].cell.stamp.time
            times.append(varint: time - previous)
            previous = time
        }
        encoder.bytes(times)
        beginBlock()
    }

    mutating func writeIndices() {
        writeIndex(below: rows.count, cells.map(\.row))
        writeIndex(below: fields.count, cells.map(\.field))
    }

    private mutating func writeIndex(below count: Int, _ indices: [Int]) {
        encoder.bytes(planes(of: indices, byteCount: Body.indexWidth(below: count)))
        beginBlock()
    }

    mutating func writeValues() {
        var byField = [[Int]](repeating: [], count: fields.count)
        for cell in cells { byField[cell.field].append(cell.change) }
        encoder.array(fields.count)
        for group in byField {
            beginBlock()
            encoder.array(group) { [changes] in $0.encoded(changes[$1].cell.encoded) }
        }
    }

    private mutating func beginBlock() {
        let offset = encoder.bytes.count
        if offset - (blocks.last ?? 0) >= Self.blockByteCount { blocks.append(offset) }
    }

    /// Returns the lowest bytes of each number, one plane after the other, most significant first.
    private func planes(of numbers: [some BinaryInteger], byteCount: Int) -> [UInt8] {
        (0..<byteCount).reversed().flatMap { plane in
            numbers.map { UInt8(truncatingIfNeeded: $0 >> (8 * plane)) }
        }
    }
}

extension Array {
    /// Splits into runs of elements that belong together.
    fileprivate func chunked(by belong: (Element, Element) -> Bool) -> [ArraySlice<Element>] {
        var (runs, start): ([ArraySlice<Element>], Int) = ([], 0)
        for index in indices.dropFirst() where !belong(self[index - 1], self[index]) {
            runs.append(self[start..<index])
            start = index
        }
        return isEmpty ? [] : runs + [self[start...]]
    }
}

extension Row {
    /// Whether the row is an identifier or a text of at most `Limits.textByteLimit` bytes.
    package var isWithinLimit: Bool {
        if case .text(let text) = self { text.utf8.count <= Limits.textByteLimit } else { true }
    }
}
