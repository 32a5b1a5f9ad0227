internal import SyncCore

/// What many edits take on the wire when they are sealed at once.
enum BodyCounts {
    private static let editCount = 25_000

    /// Measures all of it: the signed headers and the bodies of all sets.
    ///
    /// Of several edits of one cell only the last is sent.
    static func counts() async throws -> [Count] {
        var things = Things(seed: 1, rowCount: 10_000)
        let device = try await Device(seed: 1)
        try await device.write(things.edits(editCount))
        try await device.seal()
        let byteCount = try await device.pushItems().reduce(0) { sum, bytes in
            let item = try PushItem(decoding: bytes[...])
            return sum + item.upload.count + (item.body?.count ?? 0)
        }
        return [
            Count(
                "bytes an edit on the wire, 25,000 edits sealed at once",
                Double(byteCount) / Double(editCount)
            )
        ]
    }
}
