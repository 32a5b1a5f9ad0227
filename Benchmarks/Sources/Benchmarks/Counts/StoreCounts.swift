internal import SyncCore

/// What a replica asks of SQLite and of the disk, and what it takes there.
enum StoreCounts {
    /// Measures all of it.
    static func counts() async throws -> [Count] {
        let device = try await Device(seed: 1)
        var things = Things(seed: 1, rowCount: 1000)
        try await device.write(things.all())
        var relay = Relay()
        try await relay.take(from: device)
        return try await edits(of: device, &things) + sets(of: device, &things, &relay)
            + merging(relay, from: device)
    }

    private static func edits(of device: Device, _ things: inout Things) async throws -> [Count] {
        let edit = things.edits(1)
        let one = try await Work.of { try await device.write(edit) }
        let edits = things.edits(1000)
        let many = try await Work.of { try await device.write(edits) }
        return one.counts(of: "one edit")
            + [
                Count("statements an edit, 1,000 edits at once", Double(many.statements) / 1000),
                Count("commits, 1,000 edits at once", many.commits),
            ]
    }

    private static func sets(
        of device: Device,
        _ things: inout Things,
        _ relay: inout Relay
    ) async throws -> [Count] {
        let sealing = try await Work.of { _ = try await device.seal() }
        var next = relay
        var items: [[UInt8]] = []
        let pushing = try await Work.of { items = try await next.push(from: device) }
        relay = next
        let judging = try await Work.of { try await Relay.accept(items, of: device) }
        precondition(items.count == 1, "a thousand edits are one set")
        return sealing.counts(of: "sealing a set of 1,000 edits")
            + pushing.counts(of: "pushing a set") + judging.counts(of: "a judged set")
    }

    private static func merging(_ relay: Relay, from device: Device) async throws -> [Count] {
        let other = try await Device(seed: 2)
        var cells = 0
        let work = try await Work.of {
            for page in relay.pages {
                _ = try await other.replica.write {
                    try $0.merger.merge(page, into: other.space, at: other.now())
                }
            }
        }
        cells = try await other.replica.read { [space = other.space] in
            try $0.rows.list("thing", in: space)
        }
        .reduce(0) { $0 + $1.cells.count }
        return [
            Count(
                "statements a merged cell, 10,000 cells new",
                Double(work.statements) / Double(cells)
            ),
            Count("commits a merged page", Double(work.commits) / Double(relay.pages.count)),
        ]
    }
}
