import SyncCore
import Testing

@Suite struct FileLockTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/lock"
    }

    @Test func `a part belongs to one at a time, and other parts are free`() throws {
        #expect(!FileLock.isTaken(at: path))
        let first = try FileLock(path: path)
        #expect(!FileLock.isTaken(at: path))
        #expect(try first.take())
        #expect(FileLock.isTaken(at: path) && !FileLock.isTaken(1, at: path))
        let second = try FileLock(path: path)
        #expect(try !second.take())
        #expect(try second.take(1))
        #expect(FileLock.isTaken(1, at: path))
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a question takes nothing`() throws {
        let lock = try FileLock(path: path)
        for part in 0..<3 { #expect(!FileLock.isTaken(part, at: path)) }
        for part in 0..<3 { #expect(try lock.take(part)) }
    }

    @Test func `a lock ends with the last reference to it`() throws {
        var lock: FileLock? = try FileLock(path: path)
        #expect(try lock?.take() == true)
        lock = nil
        #expect(!FileLock.isTaken(at: path))
    }

    @Test func `a file that cannot be opened is an error`() {
        #expect(throws: FileLockError.cannotOpen(errno: 2)) {
            try FileLock(path: folder.path + "/none/lock")
        }
    }

    @Test func `who packs keeps no recorder from its place, and the other way round`() async throws
    {
        var isPacked = false
        try await RecorderLock.packing(in: folder.path) {
            #expect(!RecorderLock.isTaken(in: folder.path))
            // Another one leaves it to the first.
            try await RecorderLock.packing(in: folder.path) { Issue.record("packed twice") }
            isPacked = true
        }
        #expect(isPacked)
        let recorder = try RecorderLock(folder: folder.path)
        #expect(throws: RecorderLockError.taken) { try RecorderLock(folder: folder.path) }
        try await RecorderLock.packing(in: folder.path) { Issue.record("packed beside a recorder") }
        withExtendedLifetime(recorder) {}
    }
}
