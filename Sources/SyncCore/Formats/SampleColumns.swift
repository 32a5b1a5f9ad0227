/// The samples of a track whose file lists them by column: times, then positions, then readings.
///
/// Each column is packed as it is read, so a million points take a few megabytes.
struct SampleColumns {
    private var columns: [Channel: PackedSamples] = [:]

    /// The most reading columns that our writers write; each costs one pass over the samples.
    static let readingLimit = 64
    /// The most columns held: times, positions and readings.
    static let columnLimit = readingLimit + 2

    /// Returns the channel of a column that our writers name so, or nil for any other name.
    static func channel(named name: String) -> Channel? {
        Channel(named: name).flatMap { $0 > .altitude ? $0 : nil }
    }

    func count(of column: Channel) -> Int { columns[column]?.count ?? 0 }

    /// Appends the next row of a column, which may be empty.
    mutating func append(_ part: Sample, to column: Channel) throws(FormatError.Reason) {
        guard columns[column] != nil || columns.count < Self.columnLimit else { throw .tooLarge }
        columns[column, default: []].append(part)
    }

    mutating func remove(_ column: Channel) { columns[column] = nil }

    /// Returns the rows of one column, each merged with the same row of the other columns.
    func rows(of column: Channel) -> some Sequence<Sample> {
        var first = columns[column, default: []].makeIterator()
        var others = columns.filter { $0.key != column }.values.map { $0.makeIterator() }
        return AnyIterator {
            guard var row = first.next() else { return nil }
            for index in others.indices {
                guard let part = others[index].next() else { continue }
                for reading in part.readings {
                    row[count: reading.channel] = reading.count
                }
            }
            return row
        }
    }
}

extension Sample {
    /// Creates a sample of one reading, or an empty one if `count` is nil.
    init(_ channel: Channel, _ count: Int64?) {
        self.init(ascending: count.map { [Reading(channel: channel, count: $0)] } ?? [])
    }
}
