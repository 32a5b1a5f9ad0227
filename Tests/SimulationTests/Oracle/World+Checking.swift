@testable import SyncCore
@testable import SyncServer

extension World {
    /// After the world has come to rest: nothing that was promised is missing, all are equal.
    func checkEverything() throws {
        if let fault = server.faults.withLock({ $0.first }), !schedule.accidents.contains(.disks),
            !schedule.accidents.contains(.crashes)
        {
            throw fail("the server did not expect \(fault)")
        }
        for person in Set(devices.map(\.person)).sorted() {
            let own = devices.filter { $0.person == person && !$0.isGone && $0.replica != nil }
            guard let first = own.first, let space = try ownSpace(of: first) else { continue }
            let log = try readLog(of: space, with: first, among: own)
            if let fault = log.faults.first { throw fail("the log of p\(person): \(fault)") }
            try checkView(of: space, at: log.head, against: first)
            for device in own { try check(device, in: space, against: log) }
            try checkTold(log, space)
            try checkOwed(by: own, in: space, log)
            try checkTracks(of: own, in: space)
            if isOrdered { try checkOrder(of: person, log) }
        }
        try checkStore()
        guard told.longestRequest <= SyncCore.Limits.requestByteLimit else {
            throw fail("a request of \(told.longestRequest) bytes")
        }
    }

    private func readLog(
        of space: Identifier,
        with device: SimulatedDevice,
        among all: [SimulatedDevice]
    ) throws -> ServerLog {
        let (page, keys) = try readPage(of: space, with: device)
        // A server that was put back may have other control sets in the places of those it lost. Change
        // sets that name the lost ones do not count, and are written again.
        let missing = try all.reduce(into: lost.sets) { $0.formUnion(try givenUpSets(of: $1)) }
        return try ServerLog(page, keys: keys, space: space, lost: losesHistory ? missing : nil)
    }

    /// The whole log of a space, and the keys that a device has for it.
    func readPage(
        of space: Identifier,
        with device: SimulatedDevice
    ) throws -> (Page, SpaceKeys) {
        guard let keys = try device.run({ try await $0.read { try $0.spaces.keys(of: space) } }),
            let store = server.store
        else { throw fail("the log cannot be read") }
        let page = try jobs.run {
            var whole = try await store.page(of: space, after: 0, for: nil, byteLimit: .max)
            while whole.position < whole.head {
                let next = try await store.page(
                    of: space,
                    after: whole.position,
                    for: nil,
                    byteLimit: .max
                )
                whole.entries += next.entries
                (whole.position, whole.chain) = (next.position, next.chain)
            }
            return whole
        }
        return (page, keys)
    }

    private func givenUpSets(of device: SimulatedDevice) throws -> [SetName] {
        let uploads = try device.run { try await $0.uploads(isGivenUp: true) }
        return try (uploads ?? []).map { try Upload(parsing: $0).name }
    }

    /// What 'wake-server doctor' and a backup verify.
    private func checkStore() throws {
        guard let store = server.store else { throw fail("the server is down") }
        let keys = server.keys
        let words = try jobs.run {
            try await store.readSnapshot { try Inspection(of: $0, keys: keys).findings.words }
        }
        if let fault = words.first { throw fail("the store: \(fault)") }
    }

    private func checkView(
        of space: Identifier,
        at head: UInt64,
        against device: SimulatedDevice
    ) throws {
        let seen = try fingerprintAtServer(of: space, at: head)
        let own = try fingerprint(of: space, on: device)
        guard let seen, seen == own else { throw fail("the server's view differs") }
    }

    func fingerprintAtServer(of space: Identifier, at head: UInt64) throws -> Fingerprint? {
        guard let views = server.views else { throw fail("the server is down") }
        return try jobs.run { try await views.fingerprint(of: space, at: head) }
    }

    func fingerprint(of space: Identifier, on device: SimulatedDevice) throws -> Fingerprint? {
        try device.run { try await $0.read { try $0.spaces.all() } }?.first { $0.id == space }?
            .fingerprint
    }

    private func check(
        _ device: SimulatedDevice,
        in space: Identifier,
        against log: ServerLog
    ) throws {
        let found = try device.run { replica in
            (
                try await replica.read { try $0.maintenance.status() },
                try await replica.read { try $0.maintenance.verify() },
                try await replica.allCells(in: space),
                try await replica.read { try $0.spaces.all() }.first { $0.id == space }
            )
        }
        guard let (status, verification, cells, summary) = found, let summary else {
            throw fail("\(device.name) is not there")
        }
        if let fault = try verification.faults.first(where: { try !isExcused($0, on: device) }) {
            throw fail("\(device.name) does not verify: \(fault)")
        }
        guard summary.merged.position == log.head else {
            throw fail("\(device.name) stands at \(summary.merged.position) of \(log.head)")
        }
        guard status.isSent, status.pending == 0, status.mismatches == 0 else {
            throw fail("\(device.name) is not done: \(status)")
        }
        let wanted =
            try device.run { try await $0.read { try $0.chunks.wanted(of: space, limit: 1000) } }
            ?? []
        let excused = lost.chunks.isSuperset(of: wanted.map { .init(space: space, hash: $0) })
        guard excused, status.wantedChunks == wanted.count else {
            throw fail("\(device.name) wants \(status.wantedChunks) chunks")
        }
        guard cells != log.cells else { return }
        let differing = Set(cells.keys).union(log.cells.keys).filter { cells[$0] != log.cells[$0] }
        throw fail(
            "\(device.name) shows other cells than the log: \(differing.sorted().first as Any)"
        )
    }

    /// Whether what a verification finds is true: sets are lost for good, or nobody can prove of whom
    /// they are.
    func isExcused(_ fault: String, on device: SimulatedDevice) throws -> Bool {
        let missing = lost.sets.contains { fault.contains("predecessor \($0.hash) is missing") }
        let breaches = try device.run { try await $0.read { try $0.breaches.all() } } ?? []
        let unsigned = breaches.filter { $0.kind == .unsignedSets && $0.description == fault }
        // A server that goes back without a word has two histories of one epoch.
        let isTwofold = breaches.contains {
            [.twoHistories, .withheld].contains($0.kind) && $0.description == fault
        }
        return try missing || isRolledBack && isTwofold
            || unsigned.contains {
                try isGone(replica: $0.detail, for: device) || isForked($0.detail, for: device)
            }
    }

    /// Whether a replica has two sets of one name; a server keeps the signature over one alone.
    private func isForked(_ replica: String, for device: SimulatedDevice) throws -> Bool {
        let uploads = try device.run { try await $0.uploads() } ?? []
        let sequences = try uploads.map { try Upload(parsing: $0).header }
            .filter { "\($0.replica)" == replica }.map(\.sequence)
        return Set(sequences).count < sequences.count
    }

    /// Whether no device is there that sealed the sets of a replica and still knows it.
    private func isGone(replica: String, for device: SimulatedDevice) throws -> Bool {
        let isForgotten = try devices.filter { !$0.isGone }.allSatisfy {
            let own = try $0.run { try await $0.ownReplicas() } ?? []
            return !own.contains { "\($0)" == replica }
        }
        guard !isForgotten else { return true }
        let uploads = try device.run { try await $0.uploads() } ?? []
        let authors = try uploads.map { try Upload(parsing: $0).header }
            .filter { "\($0.replica)" == replica }.map(\.device)
        return try Set(authors).allSatisfy(isGone)
    }

    /// What was accepted is in the log, in the set that brought it or, after the log was lost, in one
    /// that says it again.
    private func checkTold(_ log: ServerLog, _ space: Identifier) throws {
        let absent = told.accepted.filter { name, _ in
            name.space == space && log.names[name] != .accepted && !lost.sets.contains(name)
        }
        for (name, item) in absent {
            guard losesHistory, let body = item.body else {
                throw fail("an accepted set is not in the log: \(name.replica)/\(name.sequence)")
            }
            let upload = try Upload(parsing: item.upload)
            if log.names[name] == .refused, try isGone(upload.header.device) { continue }
            guard !upload.isControl else {
                let set = try ControlSet(upload, body: body)
                guard log.controls.says(set, isMakerGone: try isGone(set.author)) else {
                    throw fail("an accepted control set is lost: \(name.replica)/\(name.sequence)")
                }
                continue
            }
            let set = try ChangeSet(logged: upload, body: body)
            for change in set.changes
            where try !log.says(change) && !isOverwritten(change, by: upload.header.device)
                && !isBeaten(change, in: space, log)
            {
                throw fail(
                    "an accepted change is lost: \(name.replica)/\(name.sequence) \(change.key)"
                )
            }
        }
    }

    /// Whether another accepted change won over one, and the log says it.
    ///
    /// A device that writes both again, because the log lost them, keeps the one that won. After a
    /// wrong clock was put right its stamp is earlier than both.
    private func isBeaten(_ change: Change, in space: Identifier, _ log: ServerLog) throws -> Bool {
        guard losesHistory, schedule.accidents.contains(.clocks) else { return false }
        return try told.changes(of: change.key, in: space).contains {
            ServerLog.wins($0, over: change.cell)
                && log.values[change.key]?.contains($0.encoded) == true
        }
    }

    /// Whether the device that wrote a change wrote something else there since; how a recording
    /// stands is written by the replica itself.
    private func isOverwritten(_ change: Change, by device: Identifier) throws -> Bool {
        if change.key.field == TrackField.status { return true }
        // Only its own user's devices may name a device, and only where the chain has it: that of one
        // which became another is not written again by a chain that does not.
        let writers = CollectionRegistry.standard[change.key.collection]?.writers
        if writers == .deviceUser, let named = change.key.row.id, try isGone(named) { return true }
        let author = try devices.first {
            try $0.run { try await $0.read { try $0.identity.current() }.device } == device
        }
        // The settings of a device that became another are under the name of that one; a device that
        // was put back has forgotten them.
        if change.key.row == Row.device(device), try author.map({ try !knows(change, $0) }) ?? true
        {
            return true
        }
        // A device that was revoked and came back is another one, on the same database.
        let writer =
            try author
            ?? devices.first {
                try $0.run { try await $0.ownReplicas() }?.contains(change.cell.stamp.replica)
                    == true
            }
        let values = writer.flatMap { expectations[$0.number]?.values[change.key] }
        return values.map { !$0.contains(change.cell.encoded) } ?? false
    }

    private func knows(_ change: Change, _ device: SimulatedDevice) throws -> Bool {
        let space = try ownSpace(of: device)
        let cells = try space.flatMap { space in
            try device.run { try await $0.allCells(in: space) }
        }
        return cells?[change.key]?.encoded == change.cell.encoded
    }

    /// Whether the one device is gone that could write a set again which the log refused after it was
    /// lost: nobody but its author does.
    private func isGone(_ author: Identifier) throws -> Bool {
        try devices.allSatisfy {
            try $0.run { try await $0.read { try $0.identity.current() }.device } != author
        }
    }

    /// What each database took is in the log, or on its list, and every device can read it.
    private func checkOwed(
        by devices: [SimulatedDevice],
        in space: Identifier,
        _ log: ServerLog
    ) throws {
        for device in devices { try checkValues(owedBy: device, in: space, log) }
        for other in devices {
            var read: [Identifier: Set<Sample>] = [:]
            for device in devices {
                let owed = expectations[device.number]?.samples ?? [:]
                for (track, samples) in owed.sorted(by: { $0.key < $1.key }) {
                    let found = try read[track] ?? readSamples(of: track, in: space, on: other)
                    read[track] = found
                    guard samples.isSubset(of: found) else {
                        throw fail(
                            "\(other.name) reads \(found.count) samples of \(track), "
                                + "\(device.name) took \(samples.count)"
                        )
                    }
                }
            }
        }
    }

    private func checkValues(
        owedBy device: SimulatedDevice,
        in space: Identifier,
        _ log: ServerLog
    ) throws {
        let owed = expectations[device.number]?.values ?? [:]
        let concerns = try device.run { try await $0.read { try $0.rejected.all() } } ?? []
        let listed = Set(concerns.flatMap { $0.changes ?? [] }.map { [$0.key: $0.cell.encoded] })
        let given = try givenUpChanges(of: device)
        for key in owed.keys.sorted() {
            let candidates = owed[key] ?? []
            let isThere = try candidates.contains { value in
                guard let value else { return true }
                return try log.values[key]?.contains(value) == true || listed.contains([key: value])
                    || given.contains {
                        try $0.key == key && $0.cell.encoded == value
                            && (log.says($0) || isBeaten($0, in: space, log))
                    }
            }
            guard isThere else { throw fail("\(device.name) lost \(key) = \(candidates)") }
        }
    }

    /// What a device sealed in sets that do not count: it writes the last value again.
    private func givenUpChanges(of device: SimulatedDevice) throws -> [Change] {
        guard losesHistory else { return [] }
        let sets = try device.run { try await $0.givenUpSets() } ?? []
        return try sets.flatMap { set in
            let upload = try Upload(parsing: set.upload)
            return upload.isControl ? [] : try ChangeSet(logged: upload, body: set.body).changes
        }
    }

    /// The samples of a track, each of them once.
    private func readSamples(
        of track: Identifier,
        in space: Identifier,
        on device: SimulatedDevice
    ) throws -> Set<Sample> {
        let read = try device.run { try await $0.recordedSamples(of: track, in: space) } ?? []
        let samples = Set(read)
        guard samples.count == read.count else {
            throw fail("\(device.name) reads samples of \(track) twice")
        }
        return samples
    }
}

extension Replica {
    fileprivate func givenUpSets() throws -> [(upload: [UInt8], body: [UInt8])] {
        try database.all(
            """
            SELECT upload, body FROM sealed
            WHERE own = 1 AND reissued IN (1, 2) AND body IS NOT NULL AND control IS NULL
            """
        ) { ($0.blob(0), $0.blob(1)) }
    }

    /// The replica ids under which this database sealed sets.
    fileprivate func ownReplicas() throws -> [Identifier] {
        try database.all(
            """
            SELECT DISTINCT r.id FROM sealed q JOIN replica r ON r.number = q.replica
            WHERE q.own = 1
            """
        ) { $0.id(0) }
    }

    /// The uploads of all sets, or of control sets and those that were given up.
    fileprivate func uploads(isGivenUp: Bool = false) throws -> [[UInt8]] {
        try database.all(
            "SELECT upload FROM sealed WHERE control IS NOT NULL OR reissued > \(isGivenUp ? 0 : -1)"
        ) { $0.blob(0) }
    }

    func allCells(in space: Identifier) throws -> [Key: Cell] {
        try parts.rows.allCells(in: space)
    }
}

extension Rows {
    /// Every winning cell of a space.
    func allCells(in space: Identifier) throws -> [Key: Cell] {
        let number = try spaces.number(ofSpace: space)
        let collections = try database.all("SELECT DISTINCT collection FROM row") { $0.text(0) }
        var cells: [Key: Cell] = [:]
        for collection in collections {
            for row in try all(number, Text(collection)) {
                for (field, cell) in row.cells { cells[row.key(field)] = cell }
            }
        }
        return cells
    }
}
