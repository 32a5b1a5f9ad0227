/// The cells of one row, ascending by field, over the bytes of one database value.
///
/// Reading a record copies no value, and merging into it compares bytes. Only this database reads
/// and writes it:
/// ```
/// record = empty, or low:varint cell… sum
/// cell   = field:varint name? replica:varint time:varint value
/// ```
/// - `low` tells the least stamp time t: 2 × (t - e) + 1 if t is e or later, otherwise 2 × t, where
///   e is the beginning of 2020. Until 2037 that takes a byte less than t.
/// - `field` is 2 × the number of the field's name in this database. A name with a slash belongs
///   to a family without end, such as the samples of a track. It stands in the record itself, like
///   a name over 64 bytes and any name after the first 4,095 of a database: `field` is then 2 × its
///   byte count + 1, and its UTF-8 follows.
/// - `replica` is the number of the replica id in this database.
/// - `time` is the difference d of the stamp time from the least one: d / 65536 × 2 if the counters are
///   equal, which they often are, and 2 × d + 1 otherwise.
/// - `value` is deterministic CBOR, which contains its own length.
/// - `sum` is the first four bytes of the SHA-256 of all bytes before it. No other copy of these
///   cells lies beside them, so a flipped bit would otherwise be read as another value.
///
/// All numbers are LEB128.
package struct CellRecord {
    /// A cell, whose value is a slice of ``bytes``.
    private struct Entry {
        let field: Text
        var stamp: Stamp
        var value: Range<Int>
        /// The numbers of the field and the replica, as far as they were read; 0 if not.
        var fieldNumber: Int64 = 0
        var replicaNumber: Int64 = 0
        /// The cell in the packed record, while it is unchanged; empty if not.
        var packed: Range<Int> = 0..<0
    }

    private var entries: [Entry] = []
    /// The packed record, and after it the values that were merged since.
    private var bytes: [UInt8] = []
    /// The least stamp time of the packed record.
    private var packedLow: UInt64 = 0
    /// Whether the bytes are the packed record of the entries.
    private var isPacked = true

    package init() {}

    /// The cells by field.
    package var cells: [Text: Cell] {
        Dictionary(uniqueKeysWithValues: entries.map { ($0.field, cell($0)) })
    }

    package init(_ cells: [Text: Cell]) {
        for (field, cell) in cells.sorted(by: { $0.key < $1.key }) {
            append(field, cell.stamp, cell.encoded[...])
        }
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// The cell of a field; setting nil removes it.
    package subscript(field: Text) -> Cell? {
        get { index(of: field).map { cell(entries[$0]) } }
        set {
            guard let newValue else {
                guard let index = index(of: field) else { return }
                entries.remove(at: index)
                isPacked = false
                return
            }
            replace(field, newValue.stamp, newValue.encoded[...])
        }
    }

    /// Merges cells, ascending by field: each replaces the present one of its field if it is
    /// greater.
    ///
    /// Reads both lists once, so that a row with thousands of cells merges thousands in time.
    package mutating func merge(ascending cells: some Sequence<(field: Text, cell: View)>) {
        var merged: [Entry] = []
        merged.reserveCapacity(entries.count + cells.underestimatedCount)
        var next = 0
        for (field, cell) in cells {
            while next < entries.count, entries[next].field < field {
                merged.append(entries[next])
                next += 1
            }
            if next < entries.count, entries[next].field == field {
                merged.append(winner(of: entries[next], cell))
                next += 1
            } else {
                merged.append(Entry(field: field, stamp: cell.stamp, value: store(cell.value)))
            }
        }
        merged += entries[next...]
        entries = merged
    }

    private mutating func winner(of entry: Entry, _ cell: View) -> Entry {
        guard isLess(entry, cell) else { return entry }
        return Entry(
            field: entry.field,
            stamp: cell.stamp,
            value: store(cell.value),
            fieldNumber: entry.fieldNumber
        )
    }

    /// Removes the cells that are not greater than those of `cells`, ascending by field.
    package mutating func remove(upTo cells: some Sequence<(field: Text, cell: View)>) {
        guard !isEmpty else { return }
        var kept: [Entry] = []
        var next = 0
        for (field, cell) in cells {
            while next < entries.count, entries[next].field < field {
                kept.append(entries[next])
                next += 1
            }
            guard next < entries.count, entries[next].field == field else { continue }
            if view(entries[next]) != cell, !isLess(entries[next], cell) {
                kept.append(entries[next])
            }
            next += 1
        }
        kept += entries[next...]
        if kept.count < entries.count { isPacked = false }
        entries = kept
    }

    /// Calls `body` with the cells that differ from those of an earlier state of the record.
    package func compare(
        with earlier: CellRecord,
        body: (_ field: Text, _ earlier: View?, _ present: View?) throws -> Void
    ) rethrows {
        var (old, new) = (0, 0)
        while old < earlier.entries.count || new < entries.count {
            let before = old < earlier.entries.count ? earlier.entries[old] : nil
            let now = new < entries.count ? entries[new] : nil
            if let before, now.map({ before.field < $0.field }) ?? true {
                try body(before.field, earlier.view(before), nil)
                old += 1
            } else if let now, before.map({ now.field < $0.field }) ?? true {
                try body(now.field, nil, view(now))
                new += 1
            } else if let before, let now {
                let (left, right) = (earlier.view(before), view(now))
                if left != right { try body(now.field, left, right) }
                (old, new) = (old + 1, new + 1)
            }
        }
    }

    /// A cell whose value is not copied.
    package struct View: Equatable {
        package let stamp: Stamp
        package let value: ArraySlice<UInt8>
    }

    private func view(_ entry: Entry) -> View {
        View(stamp: entry.stamp, value: bytes[entry.value])
    }

    private func cell(_ entry: Entry) -> Cell {
        Cell(stamp: entry.stamp, encoded: Array(bytes[entry.value]))
    }

    private func index(of field: Text) -> Int? {
        let index = place(of: field)
        return index < entries.endIndex && entries[index].field == field ? index : nil
    }

    /// The index of a field's cell, or where it would be inserted.
    private func place(of field: Text) -> Int {
        entries.partitioningIndex { $0.field >= field }
    }

    /// Orders cells like ``Cell``.
    private func isLess(_ entry: Entry, _ cell: View) -> Bool {
        entry.stamp == cell.stamp
            ? bytes[entry.value].lexicographicallyPrecedes(cell.value) : entry.stamp < cell.stamp
    }

    private mutating func replace(_ field: Text, _ stamp: Stamp, _ value: ArraySlice<UInt8>) {
        let (index, range) = (place(of: field), store(value))
        if index < entries.endIndex, entries[index].field == field {
            let isSameWriter = entries[index].stamp.replica == stamp.replica
            (entries[index].stamp, entries[index].value) = (stamp, range)
            entries[index].packed = 0..<0
            if !isSameWriter { entries[index].replicaNumber = 0 }
        } else {
            entries.insert(Entry(field: field, stamp: stamp, value: range), at: index)
        }
    }

    private mutating func append(_ field: Text, _ stamp: Stamp, _ value: ArraySlice<UInt8>) {
        entries.append(Entry(field: field, stamp: stamp, value: store(value)))
    }

    private mutating func store(_ value: ArraySlice<UInt8>) -> Range<Int> {
        isPacked = false
        let start = bytes.count
        bytes += value
        return start..<bytes.count
    }
}

extension CellRecord {
    /// Reads a record; the functions return the names behind numbers.
    package init(
        decoding bytes: [UInt8],
        replica: (Int64) throws -> Identifier,
        field: (Int64) throws -> Text
    ) throws {
        self.bytes = bytes
        guard !bytes.isEmpty else { return }
        var reader = try Reader(bytes: bytes)
        let low = try reader.low()
        packedLow = low
        entries.reserveCapacity(min(16, bytes.count / 8))
        while !reader.isAtEnd {
            let start = reader.index
            let (name, number) = try reader.name(field)
            let writer = Int64(clamping: try reader.number())
            let time = try reader.time(from: low)
            let value = try reader.value()
            let entry = Entry(
                field: name,
                stamp: Stamp(time: time, replica: try replica(writer)),
                value: value,
                fieldNumber: number,
                replicaNumber: writer,
                packed: start..<value.upperBound
            )
            guard entries.last.map({ $0.field < name }) ?? true else {
                throw ReplicaError.damagedRecord
            }
            entries.append(entry)
        }
    }

    /// Returns the packed cells; the functions return the numbers of names, or nil for a field that
    /// has none.
    package func encoded(
        replica: (Identifier) throws -> Int64,
        field: (Text) throws -> Int64?
    ) throws -> [UInt8] {
        guard !isPacked else { return bytes }
        guard let low = entries.map(\.stamp.time).min() else { return [] }
        var packed: [UInt8] = []
        packed.reserveCapacity(bytes.count + 10 * (entries.count + 1))
        packed.append(varint: Self.packedLow(low))
        // Most cells are unchanged: a run of them is appended at once instead of cell by cell.
        var unchanged = 0..<0
        for entry in entries {
            let cell = low == packedLow ? entry.packed : 0..<0
            if !cell.isEmpty, cell.lowerBound == unchanged.upperBound {
                unchanged = unchanged.lowerBound..<cell.upperBound
                continue
            }
            packed += bytes[unchanged]
            unchanged = cell
            if cell.isEmpty {
                try append(entry, from: low, number(of: entry, field), replica, to: &packed)
            }
        }
        packed += bytes[unchanged]
        packed.appendSum()
        return packed
    }

    /// Appends a cell; `number` is that of its field, or nil if the name stands in the record.
    private func append(
        _ entry: Entry,
        from low: UInt64,
        _ number: Int64?,
        _ replica: (Identifier) throws -> Int64,
        to packed: inout [UInt8]
    ) rethrows {
        if let number {
            packed.append(varint: UInt64(number) << 1)
        } else {
            packed.append(varint: UInt64(entry.field.utf8.count) << 1 | 1)
            packed += entry.field.utf8
        }
        let known = entry.replicaNumber
        packed.append(varint: UInt64(known > 0 ? known : try replica(entry.stamp.replica)))
        packed.append(varint: Self.packedTime(entry.stamp.time - low))
        packed += bytes[entry.value]
    }

    /// Returns the number of a cell's field, or nil if its name stands in the record.
    private func number(of entry: Entry, _ field: (Text) throws -> Int64?) rethrows -> Int64? {
        if entry.fieldNumber > 0 { return entry.fieldNumber }
        return Self.isInline(entry.field) ? nil : try field(entry.field)
    }

    /// Whether a field's name never has a number.
    private static func isInline(_ field: Text) -> Bool {
        field.utf8.contains(UInt8(ascii: "/")) || field.utf8.count > 64
    }

    /// 2020-01-01T00:00:00Z as a stamp time.
    private static let recent: UInt64 = 1_577_836_800_000 << 16

    private static func packedLow(_ time: UInt64) -> UInt64 {
        time < recent ? time << 1 : (time - recent) << 1 | 1
    }

    private static func packedTime(_ difference: UInt64) -> UInt64 {
        difference & 0xffff == 0 ? difference >> 15 : difference << 1 | 1
    }

    private struct Reader {
        let bytes: [UInt8]
        let end: Int
        var index = 0

        /// Checks the sum of the record.
        init(bytes: [UInt8]) throws {
            guard let end = bytes.endBeforeSum else { throw ReplicaError.damagedRecord }
            (self.bytes, self.end) = (bytes, end)
        }

        var isAtEnd: Bool { index == end }

        mutating func number() throws -> UInt64 {
            var number: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 70, by: 7) {
                guard index < end else { throw ReplicaError.damagedRecord }
                let byte = bytes[index]
                index += 1
                guard shift < 63 || byte < 2 else { break }
                number |= UInt64(byte & 0x7f) &<< shift
                guard byte < 0x80 else { continue }
                guard byte > 0 || shift == 0 else { break }
                return number
            }
            throw ReplicaError.damagedRecord
        }

        /// Reads the name of a field and its number, which is 0 if the name stands here.
        mutating func name(_ field: (Int64) throws -> Text) throws -> (Text, number: Int64) {
            let number = try number()
            guard number & 1 == 1 else {
                return (try field(Int64(number >> 1)), Int64(number >> 1))
            }
            guard number >> 1 <= UInt64(end - index) else {
                throw ReplicaError.damagedRecord
            }
            let nameEnd = index + Int(number >> 1)
            guard let name = Text(utf8: bytes[index..<nameEnd]) else {
                throw ReplicaError.damagedRecord
            }
            index = nameEnd
            return (name, 0)
        }

        mutating func low() throws -> UInt64 {
            let packed = try number()
            let low = packed & 1 == 1 ? (packed >> 1) &+ CellRecord.recent : packed >> 1
            guard low < Stamp.limit, CellRecord.packedLow(low) == packed
            else { throw ReplicaError.damagedRecord }
            return low
        }

        mutating func time(from low: UInt64) throws -> UInt64 {
            let packed = try number()
            let difference = packed & 1 == 1 ? packed >> 1 : packed << 15
            let (time, isOver) = low.addingReportingOverflow(difference)
            guard !isOver, time < Stamp.limit, CellRecord.packedTime(difference) == packed
            else { throw ReplicaError.damagedRecord }
            return time
        }

        mutating func value() throws -> Range<Int> {
            guard let valueEnd = EncodedValue.end(in: bytes, from: index), valueEnd <= end else {
                throw ReplicaError.damagedRecord
            }
            defer { index = valueEnd }
            return index..<valueEnd
        }
    }
}
