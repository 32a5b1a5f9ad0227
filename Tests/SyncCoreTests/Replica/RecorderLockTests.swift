import Testing

@testable import SyncCore

@Suite struct RecorderLockTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Ends a wait at once.
    private func cancelled(after pauses: Int) async throws {
        throw CancellationError()
    }

    @Test func `packing is exclusive, and is not recording`() async throws {
        var isPacked = false
        try await RecorderLock.packing(in: folder.path) {
            #expect(!RecorderLock.isTaken(in: folder.path))
            try await RecorderLock.packing(in: folder.path) { Issue.record("packed twice") }
            isPacked = true
        }
        #expect(isPacked)
    }

    @Test func `recording is exclusive, and nothing is packed beside it`() async throws {
        let recorder = try await RecorderLock(folder: folder.path, pause: cancelled)
        #expect(RecorderLock.isTaken(in: folder.path))
        await #expect(throws: RecorderLockError.taken) {
            try await RecorderLock(folder: folder.path, pause: cancelled)
        }
        try await RecorderLock.packing(in: folder.path) { Issue.record("packed beside a recorder") }
        withExtendedLifetime(recorder) {}
    }

    @Test func `a recorder waits while another process packs`() async throws {
        var packer: FileLock? = try FileLock(path: RecorderLock.path(in: folder.path))
        #expect(try packer?.tryLock(byte: RecorderLock.packer) == true)
        var pauses: [Int] = []
        let recorder = try await RecorderLock(folder: folder.path) { number in
            pauses.append(number)
            if number == 2 { packer = nil }
        }
        #expect(pauses == [0, 1, 2])
        try await RecorderLock.packing(in: folder.path) { Issue.record("packed beside a recorder") }
        withExtendedLifetime(recorder) {}
    }

    @Test func `a wait that is interrupted leaves the folder free`() async throws {
        try await RecorderLock.packing(in: folder.path) {
            await #expect(throws: CancellationError.self) {
                try await RecorderLock(folder: folder.path, pause: cancelled)
            }
        }
        #expect(!RecorderLock.isTaken(in: folder.path))
    }
}
