internal import SyncCore

/// What a library takes on disk.
enum RestCounts {
    /// Measures all of it.
    static func counts() async throws -> [Count] {
        try await cells() + points()
    }

    /// The points of W2: at the device that imported and sent them, and at one that fetched them.
    private static func points() async throws -> [Count] {
        let author = try await Device(seed: 3)
        let empty = try author.byteCountAtRest()
        _ = try await author.import(Sails.tracks(200, points: 5000))
        var relay = Relay()
        try await relay.take(from: author)
        let reader = try await Device(seed: 4)
        try await reader.merge(relay.pages)
        try await reader.takeWanted(of: relay.chunks)
        let points = Double(200 * 5000)
        return [
            Count(
                "bytes that a point adds at rest, nine channels, at an author",
                Double(try author.byteCountAtRest() - empty) / points
            ),
            Count(
                "bytes that a point adds at rest, nine channels, at a reader",
                Double(try reader.byteCountAtRest() - empty) / points
            ),
        ]
    }

    /// All rows, and then the edits of four devices, after W1 of the measurements.
    private static func cells() async throws -> [Count] {
        let author = try await Device(seed: 1)
        var things = Things(seed: 1, rowCount: EditTimes.rowCount)
        try await author.write(things.all())
        var relay = Relay()
        try await relay.take(from: author)
        var writers = [author]
        for seed in 2...4 as ClosedRange<UInt64> {
            writers.append(try await Device(seed: seed))
        }
        for (index, writer) in writers.enumerated() {
            var things = Things(seed: UInt64(index + 2), rowCount: EditTimes.rowCount)
            try await writer.write(things.edits(MergeTimes.editsPerDevice))
            try await relay.take(from: writer)
        }
        let reader = try await Device(seed: 9)
        let merging = try await Work.of { try await reader.merge(relay.pages) }
        try await author.merge(relay.pages)
        let (cells, merged) = (Double(things.cellCount), Double(try relay.cellCount()))
        return [
            Count(
                "bytes a cell at rest, in the table of rows",
                Double(try reader.byteCount(ofTable: "row")) / cells
            ),
            Count(
                "bytes a cell at rest, names and history included, at a reader",
                Double(try reader.byteCountAtRest()) / cells
            ),
            Count(
                "bytes a cell at rest, names and history included, at an author",
                Double(try author.byteCountAtRest()) / cells
            ),
            Count("allocations a merged cell", Double(merging.allocations) / merged),
            Count("statements a merged cell", Double(merging.statements) / merged),
        ]
    }
}

extension Device {
    /// The bytes of a table's pages, without those of its indexes.
    fileprivate func byteCount(ofTable name: String) throws -> Int {
        try Database(path: folder.path + "/replica.db")
            .first("SELECT sum(pgsize) FROM dbstat WHERE name = \(name)") { Int($0.integer(0)) }
            ?? 0
    }
}
