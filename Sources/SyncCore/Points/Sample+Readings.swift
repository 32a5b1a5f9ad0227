extension Sample {
    /// The readings of a sample, ascending by channel.
    public struct Readings: Sendable {
        fileprivate enum Storage: Sendable {
            /// Readings of this sample only.
            case own([Reading])
            /// One sample in columns that it shares with others.
            case view([Column], at: Int)
        }

        fileprivate var storage: Storage

        init(own readings: [Reading]) { storage = .own(readings) }

        init(of columns: [Column], at index: Int) { storage = .view(columns, at: index) }
    }
}

extension Sample.Readings: Collection {
    /// The position of the first reading.
    public var startIndex: Int { present(from: 0) }

    /// The position after the last reading.
    public var endIndex: Int {
        switch storage {
        case .own(let readings): readings.count
        case .view(let columns, _): columns.count
        }
    }

    /// Returns the position of the next reading.
    public func index(after place: Int) -> Int { present(from: place + 1) }

    /// The reading at a position.
    public subscript(place: Int) -> Sample.Reading {
        switch storage {
        case .own(let readings): return readings[place]
        case .view(let columns, let index):
            guard let count = columns[place][index] else {
                preconditionFailure("a position is that of a reading")
            }
            return Sample.Reading(channel: columns[place].channel, count: count)
        }
    }

    /// Goes through the readings in one pass, which looks up each of them once.
    public struct Iterator: IteratorProtocol {
        private let storage: Storage
        private var place = 0

        fileprivate init(_ readings: Sample.Readings) { storage = readings.storage }

        /// Returns the next reading, or nil at the end.
        public mutating func next() -> Sample.Reading? {
            switch storage {
            case .own(let readings):
                guard place < readings.count else { return nil }
                defer { place += 1 }
                return readings[place]
            case .view(let columns, let index):
                while place < columns.count {
                    defer { place += 1 }
                    guard let count = columns[place][index] else { continue }
                    return Sample.Reading(channel: columns[place].channel, count: count)
                }
                return nil
            }
        }
    }

    /// Returns an iterator before the first reading.
    public func makeIterator() -> Iterator { Iterator(self) }

    private func present(from place: Int) -> Int {
        guard case .view(let columns, let index) = storage else { return place }
        var place = place
        while place < columns.count, !columns[place].has(index) { place += 1 }
        return place
    }
}

extension Sample.Readings {
    /// The count of a channel, or nil if it has no reading.
    ///
    /// Setting one copies the readings out of the columns.
    subscript(channel: Channel) -> Int64? {
        get {
            switch storage {
            case .own(let readings):
                for reading in readings where reading.channel >= channel {
                    return reading.channel == channel ? reading.count : nil
                }
            case .view(let columns, let index):
                for place in columns.indices where columns[place].channel >= channel {
                    return columns[place].channel == channel ? columns[place][index] : nil
                }
            }
            return nil
        }
        set {
            var readings = own ?? Array(self)
            // The array has one owner while it changes.
            storage = .own([])
            let place = readings.firstIndex { $0.channel >= channel } ?? readings.endIndex
            let isSet = place < readings.endIndex && readings[place].channel == channel
            switch (newValue, isSet) {
            case (let count?, true):
                readings[place] = Sample.Reading(channel: channel, count: count)
            case (let count?, false):
                readings.insert(Sample.Reading(channel: channel, count: count), at: place)
            case (nil, true): readings.remove(at: place)
            case (nil, false): break
            }
            storage = .own(readings)
        }
    }

    /// The readings if they are stored for this sample only.
    var own: [Sample.Reading]? {
        if case .own(let readings) = storage { readings } else { nil }
    }
}
