import SimulatedDisk
@testable import SyncCore
@testable import SyncServer

extension World {
    /// In some worlds the server turns bad at the end.
    ///
    /// It shows two devices of a person two logs of one epoch. The first set that crosses must tell.
    func checkForkIsTold() throws {
        // Where the operator put a file back, the devices have already reported two logs.
        guard schedule.seed.isMultiple(of: 4), !isRolledBack else { return }
        let living = devices.filter { !$0.isGone && !$0.isKeptOut && $0.replica != nil }
        guard let left = living.first,
            let right = living.first(where: { $0 !== left && $0.person == left.person }),
            let space = try ownSpace(of: left)
        else { return }
        trace.note("the server shows \(left.name) and \(right.name) two logs")
        let other = SimulatedServer(
            jobs,
            server.clock,
            template: server.disk,
            seed: schedule.seed ^ 0xf0
        )
        try other.start()
        defer { other.stop() }
        for round in 1...2 {
            time.advance(by: 60_000)
            try left.write("left \(round)", thenSyncWith: server)
            try right.write("right \(round)", thenSyncWith: other)
        }
        let before = try breaches(of: right)
        let replica = try left.run { try await $0.read { try $0.identity.current() }.replica }
        try other.takeNewest(of: replica ?? .zero, from: server, in: space)
        try right.sync(with: other)
        let news = try breaches(of: right).subtracting(before)
        trace.note("  \(news)")
        guard news.contains(where: { [.twoHistories, .withheld].contains($0.kind) })
        else { throw fail("\(right.name) does not report two logs: \(news)") }
    }

    private func breaches(of device: SimulatedDevice) throws -> Set<Breach> {
        Set(try device.run { try await $0.read { try $0.breaches.all() } } ?? [])
    }
}

extension SimulatedDevice {
    func write(_ value: String, thenSyncWith server: SimulatedServer) throws {
        let now = clock.moment
        let key = Key(TrackField.collection, .id(Identifier(number: 1)), TrackField.notes)
        _ = try run { replica in
            try await replica.write {
                try $0.rows.write([Edit(key, .text(Text(value)))], in: $0.spaces.own(), at: now)
            }
        }
        try sync(with: server)
    }
}

extension SimulatedServer {
    /// Puts the newest set of a replica in another log into this one, as only a server can.
    fileprivate func takeNewest(
        of replica: Identifier,
        from other: SimulatedServer,
        in space: Identifier
    ) throws {
        guard let (upload, body) = try other.newest(of: replica, in: space) else { return }
        try put(upload, body, nil, in: space)
    }

    /// Returns the newest set of a replica in the log, or nil if the log has none.
    func newest(
        of replica: Identifier,
        in space: Identifier
    ) throws -> (upload: Upload, body: [UInt8]?)? {
        guard let store else { return nil }
        return try jobs.run {
            let end = try await store.page(of: space, after: 0, for: nil, byteLimit: 1).head
            for position in (0..<end).reversed() {
                let page = try await store.page(of: space, after: position, for: nil, byteLimit: 1)
                let entry = try ParsedEntry(page.entries[0])
                guard entry.name.replica == replica else { continue }
                return (entry.upload, entry.entry.body)
            }
            return nil
        }
    }

    /// Appends a set without a question, as only a server can.
    func put(
        _ upload: Upload,
        _ body: [UInt8]?,
        _ signature: Signature?,
        in space: Identifier
    ) throws {
        guard let store else { return }
        let now = clock.wall
        try jobs.run {
            var question = LogQuestion(space: space, asker: nil)
            question.insert(upload, [:])
            _ = try await store.decide(question, at: now) { log in
                log.returnReplica(of: upload)
                log.sign(upload, signature)
                return log.appendSet(upload, body: body, .accepted, "")
            }
        }
    }
}
