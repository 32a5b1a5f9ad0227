internal import SyncCore

/// How the work of daily steps grows with the library: not at all, or an index is missing.
enum GrowthCounts {
    private static let factor = 16
    private static let smallRowCount = 200
    private static let smallSetCount = 20

    /// Measures all of it: the steps of SQLite in a library of 16 times the rows and sets, by those
    /// in a small one.
    static func counts() async throws -> [Count] {
        let small = try await steps(rowCount: smallRowCount, setCount: smallSetCount)
        let large = try await steps(
            rowCount: smallRowCount * factor,
            setCount: smallSetCount * factor
        )
        return zip(small, large).map { small, large in
            Count("growth at \(factor) times the library: \(small.name)", large.steps / small.steps)
        }
    }

    private static func steps(
        rowCount: Int,
        setCount: Int
    ) async throws -> [(name: String, steps: Double)] {
        let device = try await Device(seed: 1)
        let reader = try await Device(seed: 2)
        var things = Things(seed: 1, rowCount: rowCount)
        var relay = Relay()
        try await device.write(things.all())
        for _ in 0..<setCount {
            try await relay.take(from: device)
            try await device.write(things.edits(1))
        }
        try await relay.take(from: device)
        for reached in [device, reader] { try await reached.merge(relay.pages) }
        let edit = things.edits(1)
        return try await oneChange(edit, from: device, to: reader, relay)
    }

    private static func oneChange(
        _ edit: [Edit],
        from device: Device,
        to reader: Device,
        _ relay: Relay
    ) async throws -> [(name: String, steps: Double)] {
        var next = relay
        var items: [[UInt8]] = []
        var steps: [(name: String, steps: Double)] = []
        func note(_ name: String, _ work: Work) { steps.append((name, Double(work.steps))) }
        note("one edit", try await Work.of { try await device.write(edit) })
        note("sealing it", try await Work.of { _ = try await device.seal() })
        note("pushing it", try await Work.of { items = try await next.push(from: device) })
        note("its verdict", try await Work.of { try await Relay.accept(items, of: device) })
        let page = next.pages.suffix(1)
        note("merging it", try await Work.of { try await reader.merge(Array(page)) })
        note(
            "finding nothing to send",
            try await Work.of {
                try await reader.seal()
                _ = try await reader.pushItems()
                _ = try await reader.hasUnsent()
            }
        )
        note(
            "status",
            try await Work.of { _ = try await reader.replica.read { try $0.maintenance.status() } }
        )
        return steps
    }
}
