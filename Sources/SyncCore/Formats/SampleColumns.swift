/// The samples of a track whose file tells them column by column: times, then places, then readings.
///
/// Each column is packed as it comes, so what is held of a million points is a few megabytes.
struct SampleColumns {
    private var columns: [Channel: PackedSamples] = [:]

    /// So many columns of readings our writers write: each of them is a way through the samples.
    static let readingLimit = 64
    /// So many columns are held: times, places and readings.
    static let columnLimit = readingLimit + 2

    /// The channel that our writers name a column of readings by; nil for any other name.
    static func channel(named name: String) -> Channel? {
        Channel(named: name).flatMap { $0 > .altitude ? $0 : nil }
    }

    /// How long a column is.
    func count(of column: Channel) -> Int { columns[column]?.count ?? 0 }

    /// Adds the next row of a column: what it tells of a sample, which may be nothing.
    mutating func append(_ part: Sample, to column: Channel) throws(FormatError.Reason) {
        guard columns[column] != nil || columns.count < Self.columnLimit else { throw .tooLarge }
        columns[column, default: []].append(part)
    }

    /// Forgets a column.
    mutating func remove(_ column: Channel) { columns[column] = nil }

    /// The rows of one column, each with what the others tell of it.
    func rows(of column: Channel) -> some Sequence<Sample> {
        var first = columns[column, default: []].makeIterator()
        var others = columns.filter { $0.key != column }.values.map { $0.makeIterator() }
        return AnyIterator {
            guard var row = first.next() else { return nil }
            for index in others.indices {
                for reading in others[index].next()?.readings ?? [] {
                    row[count: reading.channel] = reading.count
                }
            }
            return row
        }
    }
}

extension Sample {
    /// A sample of one reading, or of none.
    init(_ channel: Channel, _ count: Int64?) {
        self.init(ascending: count.map { [Reading(channel: channel, count: $0)] } ?? [])
    }
}
