internal import SyncCore

/// How the work of commands on one row grows with the library: not at all, or an index is missing.
enum CommandCounts {
    private static let (smallCount, largeCount) = (200, 12_000)
    /// A large library has as many more sets.
    private static let tracksPerSet = 20

    /// Runs each command on one track of a large library and on one of a small, and compares the steps
    /// of SQLite.
    static func counts() async throws -> [Count] {
        let small = try await steps(trackCount: smallCount)
        let large = try await steps(trackCount: largeCount)
        return zip(small, large).map { small, large in
            Count(
                "growth from \(smallCount) to \(largeCount) tracks: wake \(small.name)",
                Double(large.steps) / Double(small.steps)
            )
        }
    }

    private static func steps(trackCount: Int) async throws -> [(name: String, steps: Int)] {
        let (folder, track) = try await library(trackCount: trackCount)
        let (data, word) = (["--data", folder.path], track.description)
        return try [
            ("tracks rename", ["tracks", "rename", word, "three"]), ("history", ["history", word]),
            ("undo ID FIELD", ["undo", word, "name"]), ("conflicts ID", ["conflicts", word]),
            ("undo", ["undo"]),
        ].map { name, words in (name, try Program.wake.steps(words + data)) }
    }

    /// A library in which two devices renamed one track at once; no program has it open.
    private static func library(
        trackCount: Int
    ) async throws -> (folder: Folder, track: Identifier) {
        let device = try await Device(seed: 1)
        let other = try await Device(seed: 2)
        var relay = Relay()
        let tracks = (1...trackCount).map { id($0) }
        for start in stride(from: 0, to: trackCount, by: tracksPerSet) {
            let part = tracks[start..<min(start + tracksPerSet, trackCount)]
            try await device.write(part.flatMap { fields(of: $0) })
            try await relay.take(from: device)
        }
        for reached in [device, other] { try await reached.merge(relay.pages) }
        let track = tracks[trackCount / 2]
        try await device.rename(track, to: "one")
        try await other.rename(track, to: "two")
        for author in [device, other] { try await relay.take(from: author) }
        try await device.merge(Array(relay.pages.suffix(2)))
        return (device.folder, track)
    }

    private static func id(_ number: Int) -> Identifier {
        Identifier(number: UInt128(number) &* 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
    }

    private static func fields(of track: Identifier) -> [Edit] {
        [
            (TrackField.name, "Morning run"), (TrackField.sport, "running"),
            (TrackField.notes, "wind"),
        ]
        .map { field, text in
            Edit(Key(TrackField.collection, .id(track), field), .text(Text(text)))
        }
    }
}
