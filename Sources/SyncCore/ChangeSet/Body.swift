/// The body of a change set: its cells, grouped by row.
///
/// The header names the body by its SHA-256.
package enum Body {
    /// Encodes changes as deterministic CBOR.
    ///
    /// The keys must be distinct, and no stamp time may be below `low`.
    package static func encode(_ changes: [Change], from low: UInt64) -> [UInt8] {
        let groups = grouped(changes)
        var encoder = CBOREncoder()
        encoder.array(groups.count)
        for group in groups {
            encoder.array(3)
            encoder.text(group[0].key.collection)
            encoder.row(group[0].key.row)
            encoder.map(group.count)
            for change in group {
                encoder.text(change.key.field)
                encoder.array(2)
                encoder.unsigned(change.cell.stamp.time - low)
                encoder.encoded(change.cell.encoded)
            }
        }
        return encoder.bytes
    }

    private static func grouped(_ changes: [Change]) -> [[Change]] {
        var groups: [[Change]] = []
        for change in changes.sorted(by: { $0.key < $1.key }) {
            if let last = groups.last?.first?.key, last.row == change.key.row,
                last.collection == change.key.collection
            {
                groups[groups.count - 1].append(change)
            } else {
                groups.append([change])
            }
        }
        return groups
    }

    /// Decodes a body and checks it against its header.
    ///
    /// The stamps must lie in the header's range; the number of cells and the chunks that the cells
    /// name must be the header's.
    package static func decode(
        _ bytes: [UInt8],
        for header: Header
    ) throws(ChangeSetError) -> [Change] {
        var decoder = CBORDecoder(bytes)
        var changes: [Change] = []
        do {
            for _ in 0..<(try decoder.nonEmptyArray()) {
                let group = try decoder.groupHead(after: changes.last?.key)
                // Checked before a cell is decoded, so that the header's count limits the memory
                // used.
                guard changes.count + group.cellCount <= header.cellCount else {
                    throw ChangeSetError.wrongCellCount(changes.count + group.cellCount)
                }
                try decoder.cells(of: group, header.stamps, header.replica, into: &changes)
            }
            try decoder.finish()
        } catch let error as CBORError {
            throw .encoding(error)
        } catch let error as ChangeSetError {
            throw error
        } catch {
            throw .incomplete
        }
        guard changes.count == header.cellCount else { throw .wrongCellCount(changes.count) }
        guard chunks(of: changes) == header.chunks else { throw .wrongChunks }
        return changes
    }

    /// Returns the chunks that changes name, in their order, each once.
    package static func chunks(of changes: [Change]) -> [ChunkName] {
        var seen: Set<Digest> = []
        return changes.compactMap { ChunkReference($0.cell) }
            .filter { seen.insert($0.hash).inserted }
            .map { ChunkName(hash: $0.hash, byteCount: $0.byteCount) }
    }
}

extension CBORDecoder {
    /// The row of a group and the number of cells that follow.
    fileprivate struct GroupHead {
        let collection: Text
        let row: Row
        let cellCount: Int
    }

    fileprivate mutating func groupHead(after previous: Key?) throws(CBORError) -> GroupHead {
        let start = offset
        try array(count: 3)
        let collection = try text()
        let row = try row()
        if let previous {
            let first = Key(previous.collection, previous.row, "")
            guard first < Key(collection, row, "") else { throw .keysNotAscending(offset: start) }
        }
        let count = try map()
        guard count > 0 else { throw .unexpected(offset: start) }
        return GroupHead(collection: collection, row: row, cellCount: count)
    }

    fileprivate mutating func cells(
        of group: GroupHead,
        _ stamps: ClosedRange<UInt64>,
        _ replica: Identifier,
        into changes: inout [Change]
    ) throws(CBORError) {
        var last: Text?
        for _ in 0..<group.cellCount {
            let start = offset
            let field = try text()
            if let last, field <= last { throw .keysNotAscending(offset: start) }
            last = field
            let key = Key(group.collection, group.row, field)
            changes.append(Change(key: key, cell: try cell(stamps, replica)))
        }
    }

    private mutating func cell(
        _ stamps: ClosedRange<UInt64>,
        _ replica: Identifier
    ) throws(CBORError) -> Cell {
        let start = offset
        try array(count: 2)
        let (time, overflow) = stamps.lowerBound.addingReportingOverflow(try unsigned())
        guard !overflow, time <= stamps.upperBound else { throw .tooLarge(offset: start) }
        return Cell(
            stamp: Stamp(time: time, replica: replica),
            encoded: Array(try encodedValue(below: Limits.bodyDepth))
        )
    }
}

extension Row {
    /// Whether the row is an identifier or a text of at most `Limits.textByteLimit` bytes.
    package var isWithinLimit: Bool {
        if case .text(let text) = self { text.utf8.count <= Limits.textByteLimit } else { true }
    }
}
