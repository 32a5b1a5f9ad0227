internal import CProbe
internal import SyncCore

/// Local edits, beside plain updates of the same number of fields.
enum EditTimes {
    static let rowCount = 10_000
    private static let rounds = 3

    /// Measures all of it.
    static func times() async throws -> [Time] {
        [
            try await time("local edits, all in one commit", edits: 25_000, editsPerCommit: 25_000),
            try await time("local edits, one a commit", edits: 2000, editsPerCommit: 1),
        ]
    }

    private static func time(
        _ name: String,
        edits count: Int,
        editsPerCommit: Int
    ) async throws -> Time {
        var (rates, floors): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            floors.append(try updateRate(edits: count, editsPerCommit: editsPerCommit))
            let device = try await Device(seed: 1)
            var things = Things(seed: 1, rowCount: rowCount)
            try await device.write(things.all())
            let edits = things.edits(count)
            let seconds = try await Stopwatch.seconds {
                for start in stride(from: 0, to: count, by: editsPerCommit) {
                    try await device.write(Array(edits[start..<start + editsPerCommit]))
                }
            }
            rates.append(Double(count) / seconds)
        }
        return Time(
            name: name,
            value: Stopwatch.median(rates),
            unit: "a second",
            floor: ("plain UPDATE", Stopwatch.median(floors))
        )
    }

    /// Plain updates a second.
    static func updateRate(edits: Int, editsPerCommit: Int) throws -> Double {
        let folder = try Folder()
        let path = folder.path + "/plain.db"
        let seconds = unsafe cprobe_updates(path, rowCount, edits, editsPerCommit)
        guard seconds > 0 else { throw ProgramError.failed("sqlite", [], status: -1) }
        return Double(edits) / seconds
    }
}
