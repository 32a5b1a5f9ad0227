extension Body {
    /// Decodes a body and checks it against its header.
    ///
    /// The stamps must lie in the header's range; the number of cells and the chunks that the cells
    /// name must be the header's. Every length is compared with the header's count, so that the
    /// count limits the memory used.
    package static func decode(
        _ bytes: [UInt8],
        for header: Header
    ) throws(ChangeSetError) -> CellColumns {
        let outline = Outline(
            replica: header.replica,
            cellCount: header.cellCount,
            stamps: header.stamps
        )
        let cells = try decode(bytes, by: outline)
        guard cells.chunks == header.chunks else { throw .wrongChunks }
        return cells
    }

    /// What is known of a body before it is decoded.
    struct Outline {
        /// The replica that wrote all cells.
        let replica: Identifier
        /// The number of cells, which limits the memory used.
        let cellCount: Int
        /// The range of the stamp times; the first cell's is at or above its lower bound.
        let stamps: ClosedRange<UInt64>
    }

    /// Decodes a body and checks it against its outline.
    static func decode(
        _ bytes: [UInt8],
        by outline: Outline
    ) throws(ChangeSetError) -> CellColumns {
        do {
            var reader = BodyReader(bytes, outline)
            return try reader.cells()
        } catch let error as CBORError {
            throw .encoding(error)
        } catch let error as ChangeSetError {
            throw error
        } catch {
            throw .incomplete
        }
    }
}

/// Reads the columns of a body, in the order of the body.
private struct BodyReader {
    private var decoder: CBORDecoder
    private let bytes: [UInt8]
    private let outline: Body.Outline
    private var count: Int { outline.cellCount }

    init(_ bytes: [UInt8], _ outline: Body.Outline) {
        (self.bytes, self.outline) = (bytes, outline)
        decoder = CBORDecoder(bytes)
    }

    mutating func cells() throws -> CellColumns {
        try decoder.array(count: 6)
        let rows = try rowNames()
        let fields = try fieldNames()
        let times = try times()
        let rowOf = try indices(below: rows.count)
        let fieldOf = try indices(below: fields.count)
        try checkOrder(times, rowOf, fieldOf)
        let byField = Self.sorted(Array(0..<Int32(count)), by: fieldOf, below: fields.count)
        let values = try values(of: byField, fieldOf, fieldCount: fields.count)
        try decoder.finish()
        let order = Self.sorted(byField, by: rowOf, below: rows.count)
        let places = order.map { index in
            let cell = Int(index)
            return CellColumns.Place(
                row: rowOf[cell],
                field: fieldOf[cell],
                time: times[cell],
                value: values[cell]
            )
        }
        let isRepeated = zip(places, places.dropFirst())
            .contains { $0.row == $1.row && $0.field == $1.field }
        guard !isRepeated else { throw ChangeSetError.repeatedCell }
        return CellColumns(
            rows: rows,
            fields: fields,
            replica: outline.replica,
            places: places,
            bytes: bytes
        )
    }

    private mutating func rowNames() throws -> [Key] {
        var names: [Key] = []
        var previous: Text?
        for _ in 0..<(try decoder.nonEmptyArray()) {
            let start = decoder.offset
            try decoder.array(count: 3)
            let collection = try decoder.text()
            if let previous, collection <= previous {
                throw CBORError.keysNotAscending(offset: start)
            }
            previous = collection
            let group = try rowsOfGroup().map { Key(collection, $0, "") }
            guard !group.isEmpty, names.count + group.count <= count else {
                throw CBORError.unexpected(offset: start)
            }
            names += group
        }
        return names
    }

    private mutating func rowsOfGroup() throws -> [Row] {
        let start = decoder.offset
        let planes = try decoder.bytes()
        let idCount = planes.count / 16
        guard planes.count == 16 * idCount, idCount <= count else {
            throw CBORError.unexpected(offset: start)
        }
        let ids = (0..<idCount).map { index in
            let number = (0..<16).reduce(UInt128(0)) { number, plane in
                number << 8 | UInt128(planes[planes.startIndex + plane * idCount + index])
            }
            return Identifier(number: number)
        }
        guard zip(ids, ids.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw CBORError.keysNotAscending(offset: start)
        }
        return ids.map(Row.id) + (try texts()).map(Row.text)
    }

    private mutating func fieldNames() throws -> [Text] {
        let start = decoder.offset
        let fields = try texts()
        guard !fields.isEmpty else { throw CBORError.unexpected(offset: start) }
        return fields
    }

    /// Reads strictly ascending texts, no more than there are cells.
    private mutating func texts() throws -> [Text] {
        let start = decoder.offset
        let textCount = try decoder.array()
        guard textCount <= count else { throw CBORError.unexpected(offset: start) }
        var texts: [Text] = []
        for _ in 0..<textCount {
            let start = decoder.offset
            let text = try decoder.text()
            if let last = texts.last, text <= last {
                throw CBORError.keysNotAscending(offset: start)
            }
            texts.append(text)
        }
        return texts
    }

    private mutating func times() throws -> [UInt64] {
        let start = decoder.offset
        var varints = VarintReader(try decoder.bytes())
        var (times, last): ([UInt64], UInt64) = ([], outline.stamps.lowerBound)
        times.reserveCapacity(min(count, varints.remaining))
        while !varints.isAtEnd {
            guard times.count < count else { throw ChangeSetError.wrongCellCount(times.count + 1) }
            let (time, isOver) = last.addingReportingOverflow(try varints.next(at: start))
            guard !isOver, time <= outline.stamps.upperBound else {
                throw CBORError.tooLarge(offset: start)
            }
            times.append(time)
            last = time
        }
        guard times.count == count else { throw ChangeSetError.wrongCellCount(times.count) }
        return times
    }

    /// Reads the index of each cell's row or field; each of them must have a cell.
    private mutating func indices(below limit: Int) throws -> [Int32] {
        let start = decoder.offset
        let column = try decoder.bytes()
        let width = Body.indexWidth(below: limit)
        guard column.count == width * count else { throw CBORError.unexpected(offset: start) }
        let planes = Array(column)
        var isUsed = [Bool](repeating: false, count: limit)
        let indices = try (0..<count).map { cell in
            var index = 0
            for plane in 0..<width { index = index << 8 | Int(planes[plane * count + cell]) }
            guard index < limit else { throw CBORError.tooLarge(offset: start) }
            isUsed[index] = true
            return Int32(index)
        }
        guard !isUsed.contains(false) else { throw CBORError.unexpected(offset: start) }
        return indices
    }

    /// Checks the order of cells with equal times; the times ascend by their form.
    private func checkOrder(_ times: [UInt64], _ rowOf: [Int32], _ fieldOf: [Int32]) throws {
        for cell in times.indices.dropFirst() where times[cell] == times[cell - 1] {
            guard (rowOf[cell - 1], fieldOf[cell - 1]) < (rowOf[cell], fieldOf[cell]) else {
                throw CBORError.keysNotAscending(offset: decoder.offset)
            }
        }
    }

    /// Reads the values and returns the range of each cell's value.
    private mutating func values(
        of byField: [Int32],
        _ fieldOf: [Int32],
        fieldCount: Int
    ) throws -> [Range<Int32>] {
        try decoder.array(count: fieldCount)
        var values = [Range<Int32>](repeating: 0..<0, count: count)
        var next = byField.startIndex
        for field in 0..<Int32(fieldCount) {
            let end = byField[next...].firstIndex { fieldOf[Int($0)] != field } ?? byField.endIndex
            try decoder.array(count: end - next)
            for cell in byField[next..<end] {
                let value = try decoder.encodedValue(below: Limits.bodyDepth)
                values[Int(cell)] = Int32(value.startIndex)..<Int32(value.endIndex)
            }
            next = end
        }
        return values
    }

    /// Sorts cells by an index of theirs and keeps the order of equal ones: a counting sort.
    private static func sorted(
        _ cells: [Int32],
        by index: [Int32],
        below limit: Int
    ) -> [Int32] {
        var starts = [Int](repeating: 0, count: limit + 1)
        for cell in cells { starts[Int(index[Int(cell)]) + 1] += 1 }
        for place in 1...limit { starts[place] += starts[place - 1] }
        var sorted = cells
        for cell in cells {
            sorted[starts[Int(index[Int(cell)])]] = cell
            starts[Int(index[Int(cell)])] += 1
        }
        return sorted
    }
}
