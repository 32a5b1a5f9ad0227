internal import SyncCore

/// What a library takes on disk, everything in the file counted: sets, indexes, free pages.
enum RestCounts {
    /// Measures all of it.
    static func counts() async throws -> [Count] {
        var things = Things(seed: 1, rowCount: 10_000)
        let writer = try await Device(seed: 1)
        try await writer.write(things.all())
        let sails = try await Device(seed: 3)
        _ = try await sails.import(Sails.tracks(40, points: 5000))
        let points = Double(40 * 5000)
        return [
            Count(
                "bytes a cell at rest, where it was merged",
                try await merged(from: writer) / Double(things.cellCount)
            ),
            Count(
                "bytes a point at rest, nine channels",
                Double(try sails.byteCountAtRest()) / points
            ),
        ]
    }

    private static func merged(from writer: Device) async throws -> Double {
        var relay = Relay()
        try await relay.take(from: writer)
        let reader = try await Device(seed: 2, sharing: writer)
        try await reader.merge(relay.pages)
        return Double(try reader.byteCountAtRest())
    }
}
