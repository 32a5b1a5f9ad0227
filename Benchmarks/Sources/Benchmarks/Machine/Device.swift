internal import Glibc
internal import SyncCore
internal import Synchronization

/// A replica in a folder of its own, whose names come from a seed.
final class Device: Sendable {
    let replica: Replica
    let space: Identifier
    let folder: Folder
    /// What its clocks say.
    let now: @Sendable () -> Moment

    /// A device of the ``SharedSpace`` with the keys of a made-up server; it only ever meets a
    /// ``Relay``.
    convenience init(seed: UInt64) async throws {
        try await self.init(unjoined: seed, now: Self.madeClock()) { replica, generator in
            try await SharedSpace.made.value.take(seed, in: replica, using: &generator)
        }
        // It pushes at once, as a device that has merged the control sets of the log.
        try Database(path: folder.path + "/replica.db")
            .run("UPDATE sealed SET receipt = NULL WHERE control IS NOT NULL")
    }

    /// A device of a server.
    convenience init(seed: UInt64, joining link: Link) async throws {
        try await self.init(unjoined: seed, now: Self.machineClock) { replica, _ in
            let transport = HTTPTransport(authority: link.authority, trust: link.trust)
            let enroller = Enroller(transport: transport, for: link)
            try await enroller.join(link, with: replica, at: Self.machineClock())
        }
    }

    /// A device that did not join anything, or that `join` takes somewhere.
    init(
        unjoined seed: UInt64,
        now: @escaping @Sendable () -> Moment,
        join: (Replica, inout SplitMix64) async throws -> Void = { _, _ in }
    ) async throws {
        (folder, self.now) = (try Folder(), now)
        var generator = SplitMix64(seed: seed)
        let path = folder.path + "/replica.db"
        try Replica.create(
            at: path,
            name: "device \(seed)",
            now: now().wall,
            using: &generator
        )
        let names = Mutex(SplitMix64(seed: seed &+ 1 << 32))
        replica = try Replica(path: path) {
            names.withLock { .random(using: &$0) }
        }
        try await join(replica, &generator)
        space = try await replica.read { try $0.spaces.own() }
        // As a server tells it before anything is sealed.
        let moment = now()
        let anchor = ClockAnchor(server: moment.wall, asked: moment, answered: moment)
        try await replica.write { try $0.clockPeriods.learn(anchor) }
    }

    /// What is to be pushed, as much as one request takes.
    func pushItems() async throws -> [[UInt8]] {
        try await replica.read { [space] in
            var room = RequestRoom(bytes: .max)
            return try $0.queue.items(of: space, into: &room)
        }
    }

    /// Whether something waits to be sent.
    func hasUnsent() async throws -> Bool {
        try await replica.read { [space] in try $0.queue.hasUnsent(in: space) }
    }

    /// The digest of the base.
    func fingerprint() async throws -> Fingerprint {
        try await replica.read { try $0.spaces.all() }[0].fingerprint
    }

    /// The bytes of the database when all of it is in one file.
    func byteCountAtRest() throws -> Int {
        let path = folder.path + "/replica.db"
        try Database(path: path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return try Folder.byteCount(of: path)
    }

    /// When the clock of a device that meets no server begins.
    static let start = UnixTime(milliseconds: 1_780_000_000_000)

    /// A clock that is a millisecond later each time, so that stamps, and counts of bytes with
    /// them, are the same in each run.
    static func madeClock() -> @Sendable () -> Moment {
        let reads = Atomic(0)
        return {
            let read = Int64(reads.wrappingAdd(1, ordering: .relaxed).newValue)
            return Moment(
                wall: UnixTime(milliseconds: start.milliseconds + read),
                uptimeMilliseconds: read,
                boot: Identifier(number: 1)
            )
        }
    }

    /// What the clocks of this machine say.
    @Sendable static func machineClock() -> Moment {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        let wall = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let uptime = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        return Moment(
            wall: UnixTime(milliseconds: wall),
            uptimeMilliseconds: uptime,
            boot: Identifier(number: 1)
        )
    }
}

extension Device {
    /// Seals what was written; returns how many sets were made.
    @discardableResult
    func seal() async throws -> Int {
        try await replica.write { try $0.sealer.seal(at: now()) }
    }

    /// Writes one field of a row.
    func write(_ edits: [Edit]) async throws {
        try await replica.write { try $0.rows.write(edits, in: space, at: now()) }
    }

    /// Gives a track another name.
    func rename(_ track: Identifier, to name: String) async throws {
        let key = Key(TrackField.collection, .id(track), TrackField.name)
        try await write([Edit(key, .text(Text(name)))])
    }

    /// Syncs with the server that the device joined.
    @discardableResult
    func sync(over transport: any Transport) async throws -> SyncResult {
        let identity = try await replica.read { try $0.identity.current() }
        let client = ServerClient(
            transport: transport,
            authority: identity.authority ?? "",
            keys: try await replica.read { try $0.identity.deviceKeys() },
            anchor: identity.anchor,
            now: now
        )
        let synchronizer = Synchronizer(
            replica: replica,
            client: client,
            enroller: Enroller(
                transport: transport,
                authority: identity.authority ?? "",
                trust: identity.trust ?? .plain
            ),
            now: now,
            sleep: { _ in }
        )
        let result = try await synchronizer.sync()
        guard result.end == .complete, result.mismatches == 0 else {
            throw DeviceError.notSynced(result)
        }
        return result
    }

    /// A link for another device of the same person, which the server knows of.
    func link() async throws -> Link {
        var generator = SplitMix64(seed: UInt64(now().uptimeMilliseconds))
        let link = try await Enroller.link(
            for: replica,
            validSeconds: 600,
            at: now(),
            using: &generator
        )
        try await sync(over: HTTPTransport(authority: link.authority, trust: link.trust))
        return link
    }
}

/// Why a device's figures mean nothing.
enum DeviceError: Error {
    /// A sync did not end well.
    case notSynced(SyncResult)
    /// No device of the shared space has this seed.
    case noCard(UInt64)
    /// Two devices that should be equal are not.
    case different(String)
}
