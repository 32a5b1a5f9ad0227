internal import SyncCore

/// The edits of four devices on their way into a fifth, after W1 of the measurements.
enum MergeTimes {
    static let editsPerDevice = 25_000
    private static let rounds = 3

    /// Measures all of it.
    static func times() async throws -> [Time] {
        let writers = try await writers()
        var first = Relay()
        try await first.take(from: writers[0])
        var relay = first
        for (index, writer) in writers.enumerated() {
            var things = Things(seed: UInt64(index + 2), rowCount: EditTimes.rowCount)
            try await writer.write(things.edits(editsPerDevice))
            try await relay.take(from: writer)
        }
        let edits = Array(relay.pages.dropFirst(first.pages.count))
        let joined = relay.joinedPages(from: first.pages.count).map { [$0] } ?? []
        var (new, overwritten, together): ([Double], [Double], [Double]) = ([], [], [])
        var floors: [Double] = []
        for _ in 0..<rounds {
            floors.append(try EditTimes.updateRate(edits: 100_000, editsPerCommit: 100_000))
            let reader = try await Device(seed: 9)
            new.append(try await rate(of: first.pages, into: reader))
            overwritten.append(try await rate(of: edits, into: reader))
            let other = try await Device(seed: 9)
            try await other.merge(first.pages)
            together.append(try await rate(of: joined, into: other))
            guard try await other.fingerprint() == reader.fingerprint() else {
                throw DeviceError.different("merged cells")
            }
        }
        let floor = ("plain UPDATE", Stopwatch.median(floors))
        return [
            Time(
                name: "merged cells, all new",
                value: Stopwatch.median(new),
                unit: "a second",
                floor: floor
            ),
            Time(
                name: "merged cells, edits of four devices, a page each",
                value: Stopwatch.median(overwritten),
                unit: "a second",
                floor: floor
            ),
            Time(
                name: "merged cells, edits of four devices, one page",
                value: Stopwatch.median(together),
                unit: "a second",
                floor: floor
            ),
        ]
    }

    /// The first has written all rows.
    private static func writers() async throws -> [Device] {
        let first = try await Device(seed: 1)
        var things = Things(seed: 1, rowCount: EditTimes.rowCount)
        try await first.write(things.all())
        var writers = [first]
        for seed in 2...4 as ClosedRange<UInt64> {
            writers.append(try await Device(seed: seed))
        }
        return writers
    }

    private static func rate(of pages: [Page], into reader: Device) async throws -> Double {
        let cells = try pages.reduce(0) { try $0 + $1.cellCount() }
        let seconds = try await Stopwatch.seconds { try await reader.merge(pages) }
        return Double(cells) / seconds
    }
}

extension Page {
    /// The cells of its sets.
    func cellCount() throws -> Int {
        try entries.reduce(0) { sum, entry in
            guard case .set(let bytes, _) = try LogEntry(decoding: entry[...]).content else {
                return sum
            }
            return try sum + Upload(parsing: bytes).header.cellCount
        }
    }
}

extension Relay {
    /// The cells of all sets.
    func cellCount() throws -> Int { try pages.reduce(0) { try $0 + $1.cellCount() } }
}

extension Device {
    /// Merges pages of the log.
    func merge(_ pages: [Page]) async throws {
        for page in pages {
            let merged = try await replica.write {
                try $0.merger.merge(page, into: space, at: now())
            }
            guard merged.pending == 0 else { throw DeviceError.different("\(merged)") }
        }
    }
}
