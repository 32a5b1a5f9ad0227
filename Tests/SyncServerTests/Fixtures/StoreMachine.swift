import Dispatch
import Harness
import SimulatedDisk
import SyncCore

@testable import SyncServer

/// A store on a machine that goes off in the midst of a write.
///
/// PostgreSQL's would count statements and end the connection at one.
protocol StoreMachine: Sendable {
    /// A second machine with the same content.
    func copy(seed: UInt64) -> any StoreMachine
    /// Opens the store, or makes it; the body's is the only reference to it.
    func open() throws -> any Store
    /// Waits until nobody has the store open.
    func waitUntilClosed() async throws
    /// Goes off at a write: 0 is the next one, which is done in part; nil for none.
    func goOff(after writes: Int64?)
    var isOff: Bool { get }
    /// Goes on; what was not synced is lost with the power.
    func restart(lostPower: Bool)
}

extension StoreMachine {
    /// Calls `body` with the store and closes it.
    func withStore<Result>(
        _ body: (any Store) async throws -> Result
    ) async throws -> Result {
        let result = try await opened(body)
        try await waitUntilClosed()
        return result
    }

    private func opened<Result>(
        _ body: (any Store) async throws -> Result
    ) async throws -> Result {
        try await body(try open())
    }
}

/// A SQLite file on a disk in memory.
struct SQLiteMachine: StoreMachine {
    private let disk: Disk
    /// Whoever uses the disk does it here: it is for one thread at a time.
    private let queue = DispatchQueue(label: "machine")

    init(_ disk: Disk = Disk(seed: 0)) {
        self.disk = disk
    }

    func copy(seed: UInt64) -> any StoreMachine {
        SQLiteMachine(queue.sync { Disk(copyOf: disk, seed: seed) })
    }

    func open() throws -> any Store {
        try SQLiteStore(
            path: "store.db",
            on: disk.volume { [queue] job in queue.async(execute: job) },
            receipts: Author.serverKeys.receiptSecret,
            newEpoch: Identifier(number: 7)
        )
    }

    func waitUntilClosed() async throws {
        try await until("a closed store") { queue.sync { disk.openCount } == 0 }
    }

    func goOff(after writes: Int64?) { queue.sync { disk.arm(after: writes) } }

    var isOff: Bool { queue.sync { disk.isOff } }

    func restart(lostPower: Bool) { queue.sync { disk.start(lostPower: lostPower) } }
}
