/// Samples, stored column by column: one array of integers for each channel.
///
/// It behaves like an array of ``Sample`` values, which are views into the columns. A slice shares
/// the columns and the indices of the whole.
public struct Samples: Sendable {
    /// The columns, ascending by channel, of at least ``endIndex`` samples.
    private(set) var columns: [Column] = []
    /// The index of the first sample; 0 except in a slice.
    public private(set) var startIndex = 0
    /// The index after the last sample.
    public private(set) var endIndex = 0
    /// The number of samples in the columns, which a slice may share with others.
    private var storedCount = 0

    /// Creates an empty collection.
    public init() {}

    /// Creates a collection of samples.
    public init(_ samples: some Sequence<Sample>) {
        if let samples = samples as? Samples {
            self = samples
        } else {
            append(contentsOf: samples)
        }
    }

    /// Creates the samples of complete columns, which ascend by channel.
    init(columns: [Column], count: Int) {
        (self.columns, endIndex, storedCount) = (columns, count, count)
    }
}

extension Samples: RandomAccessCollection {
    /// A sample; it is a view into the columns and allocates nothing.
    public subscript(index: Int) -> Sample {
        precondition(startIndex..<endIndex ~= index, "the index is in range")
        return Sample(viewing: columns, at: index)
    }

    /// Consecutive samples, with the same indices.
    public subscript(range: Range<Int>) -> Samples {
        precondition(startIndex <= range.lowerBound && range.upperBound <= endIndex)
        var slice = self
        (slice.startIndex, slice.endIndex) = (range.lowerBound, range.upperBound)
        return slice
    }

    /// The column of a channel, or nil if there is none.
    func column(_ channel: Channel) -> Column? {
        let place = columns.partitioningIndex { $0.channel >= channel }
        return place < columns.count && columns[place].channel == channel ? columns[place] : nil
    }
}

/// Appending.
extension Samples {
    /// Appends a sample.
    ///
    /// Appending to a slice makes it a collection of its own, whose indices begin at 0.
    public mutating func append(_ sample: Sample) {
        detach()
        if let own = sample.readings.own {
            append(readings: own)
        } else {
            append(readings: sample.readings)
        }
    }

    /// Appends samples, column by column if they are stored so.
    public mutating func append(contentsOf samples: some Sequence<Sample>) {
        if let samples = samples as? Samples {
            append(columnsOf: samples)
        } else {
            for sample in samples { append(sample) }
        }
    }

    /// Removes all samples but keeps the room of the columns that all samples had.
    mutating func removeAllKeepingCapacity() {
        guard startIndex == 0, endIndex == storedCount else {
            self = Samples()
            return
        }
        columns.removeAll { $0.counts.count < storedCount }
        for place in columns.indices { columns[place].removeAll() }
        (endIndex, storedCount) = (0, 0)
    }

    /// Appends a sample of readings that ascend by channel.
    mutating func append(readings: some Sequence<Sample.Reading>) {
        var place = 0
        for reading in readings {
            if place == columns.count || columns[place].channel != reading.channel {
                place = makeColumn(reading.channel)
            }
            columns[place].append(reading.count, at: storedCount)
            place += 1
        }
        storedCount += 1
        endIndex = storedCount
    }

    private mutating func append(columnsOf other: Samples) {
        guard !isEmpty else {
            self = other
            return
        }
        detach()
        for column in other.columns {
            let place = makeColumn(column.channel)
            columns[place].append(column, other.startIndex..<other.endIndex, at: storedCount)
        }
        storedCount += other.count
        endIndex = storedCount
    }

    /// Returns the index of a channel's column, after inserting it if it is missing.
    private mutating func makeColumn(_ channel: Channel) -> Int {
        let place = columns.partitioningIndex { $0.channel >= channel }
        if place == columns.count || columns[place].channel != channel {
            columns.insert(Column(channel: channel), at: place)
        }
        return place
    }

    /// Copies the samples of a slice, so that more can be appended.
    private mutating func detach() {
        guard startIndex > 0 || endIndex < storedCount else { return }
        var own = Samples()
        for column in columns {
            var part = Column(channel: column.channel)
            part.append(column, startIndex..<endIndex, at: 0)
            if !part.counts.isEmpty { own.columns.append(part) }
        }
        (own.endIndex, own.storedCount) = (count, count)
        self = own
    }
}

extension Samples: Hashable {
    /// Whether both have the same samples in the same order, whatever their indices.
    public static func == (left: Samples, right: Samples) -> Bool {
        let (own, other) = (left.presentColumns, right.presentColumns)
        guard left.count == right.count, own.count == other.count else { return false }
        return zip(own, other).allSatisfy { own, other in
            own.column.channel == other.column.channel
                && own.column.counts[own.places] == other.column.counts[other.places]
                && stride(from: 0, to: left.count, by: 64).allSatisfy { start in
                    let unused = UInt64(Swift.max(start + 64 - left.count, 0))
                    let own = own.column.bits(from: left.startIndex + start)
                    return own << unused == other.column.bits(from: right.startIndex + start)
                        << unused
                }
        }
    }

    /// Hashes the number of samples and the readings.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for (column, places) in presentColumns {
            hasher.combine(column.channel)
            hasher.combine(column.counts[places])
        }
    }

    /// The columns in which a sample has a reading, with the readings as indices of their counts.
    var presentColumns: [(column: Column, places: Range<Int>)] {
        columns.compactMap { column in
            let places = column.places(of: startIndex..<endIndex)
            return places.isEmpty ? nil : (column, places)
        }
    }
}

extension Samples: ExpressibleByArrayLiteral {
    /// Creates a collection of the samples in the literal.
    public init(arrayLiteral samples: Sample...) { self.init(samples) }
}
