import Foundation
import Testing

@testable import SyncCore

@Suite struct DatabaseOpeningTests {
    @Test func `many who open a new file at once all get it`() async throws {
        for _ in 0..<20 {
            let path = NSTemporaryDirectory() + "wake-open-\(UUID().uuidString).db"
            defer {
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: path + suffix)
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await Opener(number).open(path)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}

/// Opens a file on a thread of its own.
private actor Opener {
    private let executor: QueueExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    init(_ number: Int) {
        executor = QueueExecutor(label: "opener \(number)")
    }

    func open(_ path: String) throws {
        let database = try Database(path: path)
        try database.write { _ = try database.userVersion() }
    }
}
