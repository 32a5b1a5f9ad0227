/// Samples that are in no chunk yet: the table `tail`, whose rows are runs of one append.
///
/// Nobody else has them. So each row has a sum, and one that does not match it is lost: it is set aside,
/// and the rest of its track goes on without it.
extension TrackPoints {
    func tailCount(of place: RowAddress) throws -> Int {
        try database.first(
            """
            SELECT coalesce(sum(count), 0) FROM tail
            WHERE space = \(place.space) AND track = \(place.id) AND lost = 0
            """
        ) { Int($0.integer(0)) } ?? 0
    }

    /// Returns samples that are in no chunk yet, as consecutive runs.
    ///
    /// Throws ``ReplicaError/damaged(_:)`` for a row that does not match its sum.
    func tail(of place: RowAddress) throws -> [(first: SampleName, samples: Samples)] {
        let rows = try database.all(
            """
            SELECT number, space, track, stream, first, count, samples, sum FROM tail
            WHERE space = \(place.space) AND track = \(place.id) AND lost = 0
            ORDER BY stream, first
            """,
            read: TailRow.init
        )
        var runs: [(first: SampleName, samples: Samples)] = []
        for row in rows {
            let samples = try row.read()
            if let last = runs.last, last.first.stream == row.first.stream,
                last.first.index + last.samples.count == row.first.index
            {
                runs[runs.count - 1].samples.append(contentsOf: samples)
            } else {
                runs.append((row.first, samples))
            }
        }
        return runs
    }

    /// Stores samples that were packed as one run.
    func appendTail(
        _ bytes: [UInt8],
        count: Int,
        from first: SampleName,
        to place: RowAddress
    ) throws {
        let row = TailRow(place: place, first: first, count: count, bytes: bytes)
        try database.run(
            """
            INSERT INTO tail (space, track, stream, first, count, samples, sum)
            VALUES (\(place.space), \(place.id), \(Int64(bitPattern: first.stream)),
                \(first.index), \(count), \(bytes), \(row.sum))
            """
        )
    }

    /// Moves the samples of all tracks of a space to another one; damaged rows stay damaged.
    func moveTails(from space: Int64, to other: Int64) throws {
        let rows = try database.all(
            """
            SELECT number, space, track, stream, first, count, samples, sum FROM tail
            WHERE space = \(space) AND lost = 0
            """,
            read: TailRow.init
        )
        for row in rows where row.isIntact {
            let place = RowAddress(space: other, id: row.place.id)
            try appendTail(row.bytes, count: row.count, from: row.first, to: place)
            try database.run("DELETE FROM tail WHERE number = \(row.number)")
        }
        try database.run("UPDATE tail SET space = \(other) WHERE space = \(space)")
    }

    /// Deletes the samples of a track, which are in chunks now.
    func deleteTail(of place: RowAddress) throws {
        try database.run(
            "DELETE FROM tail WHERE space = \(place.space) AND track = \(place.id) AND lost = 0"
        )
    }

    /// Returns the numbers of rows that do not match their sum.
    func damagedTails() throws -> [Int64] {
        try database.all(
            "SELECT number, space, track, stream, first, count, samples, sum FROM tail WHERE lost = 0",
            read: TailRow.init
        )
        .filter { !$0.isIntact }.map(\.number)
    }

    /// Sets a damaged row aside; returns the track that it names, which may be damaged, too.
    func loseTail(_ number: Int64) throws -> Identifier? {
        try database.run("UPDATE tail SET lost = 1 WHERE number = \(number)")
        let place = try database.first("SELECT space, track FROM tail WHERE number = \(number)") {
            RowAddress(space: $0.integer(0), id: $0.id(1))
        }
        if let place { observer.chunksChanged(of: place) }
        return place?.id
    }

    /// Returns faults of rows that are damaged or were set aside, in words.
    func tailFaults() throws -> [String] {
        let lost = try database.all("SELECT track FROM tail WHERE lost = 1 ORDER BY number") {
            "track \($0.id(0)): samples of its recording are damaged, and no other device has them"
        }
        let damaged = try damagedTails().count
        return damaged == 0 ? lost : lost + ["\(damaged) runs of recorded samples are damaged"]
    }

    /// Deletes the rows that were set aside; returns how many there were.
    func deleteLostTails() throws -> Int { try database.run("DELETE FROM tail WHERE lost = 1") }
}

/// A row of `tail`.
private struct TailRow {
    var number: Int64 = 0
    let place: RowAddress
    let first: SampleName
    let count: Int
    let bytes: [UInt8]
    private var storedSum: Int64 = 0

    init(place: RowAddress, first: SampleName, count: Int, bytes: [UInt8]) {
        (self.place, self.first, self.count, self.bytes) = (place, first, count, bytes)
    }

    init(_ row: Statement) {
        number = row.integer(0)
        place = RowAddress(space: row.integer(1), id: row.id(2))
        first = SampleName(
            stream: UInt64(bitPattern: row.integer(3)),
            index: Int(row.integer(4))
        )
        count = Int(row.integer(5))
        bytes = row.blob(6)
        storedSum = row.integer(7)
    }

    var sum: Int64 {
        let numbers = [
            place.space, Int64(bitPattern: first.stream), Int64(first.index), Int64(count),
        ]
        return Checksum.of(record: numbers.map(UInt64.init(bitPattern:)), place.id.bytes + bytes)
    }

    var isIntact: Bool { (try? read()) != nil }

    func read() throws -> Samples {
        guard storedSum == sum, let samples = try? Chunk.unpack(bytes) else {
            throw ReplicaError.damaged(.samples(number))
        }
        return samples
    }
}
