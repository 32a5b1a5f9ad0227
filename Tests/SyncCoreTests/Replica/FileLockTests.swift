import SyncCore
import Testing

@Suite struct FileLockTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/lock"
    }

    @Test func `a byte has one holder at a time, and other bytes are free`() throws {
        #expect(!FileLock.isLocked(at: path))
        let first = try FileLock(path: path)
        #expect(!FileLock.isLocked(at: path))
        #expect(try first.tryLock())
        #expect(FileLock.isLocked(at: path) && !FileLock.isLocked(byte: 1, at: path))
        let second = try FileLock(path: path)
        #expect(try !second.tryLock())
        #expect(try second.tryLock(byte: 1))
        #expect(FileLock.isLocked(byte: 1, at: path))
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a query takes no lock`() throws {
        let lock = try FileLock(path: path)
        for byte in 0..<3 { #expect(!FileLock.isLocked(byte: byte, at: path)) }
        for byte in 0..<3 { #expect(try lock.tryLock(byte: byte)) }
    }

    @Test func `a lock ends with the last reference to it`() throws {
        var lock: FileLock? = try FileLock(path: path)
        #expect(try lock?.tryLock() == true)
        lock = nil
        #expect(!FileLock.isLocked(at: path))
    }

    @Test func `a file that cannot be opened is an error`() {
        #expect(throws: FileLockError.unavailable(errno: 2)) {
            try FileLock(path: folder.path + "/none/lock")
        }
    }
}
