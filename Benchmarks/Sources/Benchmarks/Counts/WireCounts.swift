internal import SyncCore

/// What goes through the network, between real devices and a real server.
struct WireCounts {
    private static let editCounts = [1, 100, 10_000]

    /// Measures all of it.
    static func counts() async throws -> [Count] {
        let server = try ServerProcess()
        let first = try await Device(seed: 1, joining: try server.invite())
        let transport = CountingTransport(authority: server.authority)
        let tracks = try await first.import(Sails.tracks(1, points: 100))
        try await first.sync(over: transport)
        let rename = try await rename(tracks[0], of: first, over: transport)
        let nothing = try await nothing(first, over: transport)
        return rename + nothing + (try await edits(of: first, over: transport))
    }

    private static func rename(
        _ track: Identifier,
        of device: Device,
        over transport: CountingTransport
    ) async throws -> [Count] {
        try await device.rename(track, to: "Round Pampus")
        try await device.replica.write { try $0.sealer.seal(at: device.now()) }
        let items = try await device.pushItems()
        _ = transport.take()
        try await device.sync(over: transport)
        let exchanges = transport.take()
        return [
            Count("bytes of the push-item of a rename", items.reduce(0) { $0 + $1.count }),
            Count(
                "bytes of the request that pushes a rename",
                exchanges.reduce(0) { $0 + $1.requestBytes }
            ),
            Count("requests that push a rename", exchanges.count),
        ]
    }

    private static func nothing(
        _ device: Device,
        over transport: CountingTransport
    ) async throws -> [Count] {
        _ = transport.take()
        try await device.sync(over: transport)
        let exchanges = transport.take()
        return [
            Count("requests when nothing is new", exchanges.count),
            Count(
                "bytes of both bodies when nothing is new",
                exchanges.reduce(0) { $0 + $1.requestBytes + $1.replyBytes }
            ),
        ]
    }

    private static func edits(
        of device: Device,
        over transport: CountingTransport
    ) async throws -> [Count] {
        var things = Things(seed: 1, rowCount: 10_000)
        var counts: [Count] = []
        for count in editCounts {
            try await device.write(things.edits(count))
            _ = transport.take()
            try await device.sync(over: transport)
            counts.append(Count("requests that push \(count) edits", transport.take().count))
        }
        return counts
    }
}
