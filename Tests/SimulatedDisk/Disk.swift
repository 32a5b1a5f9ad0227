internal import CDisk
internal import CSQLite
package import SyncCore

/// A disk that forgets what was not synced, fills up, lies, fails, and goes off with its machine.
@safe package final class Disk: Sendable {
    // One thread at a time: that of the world.
    private let address: UInt

    package init(seed: UInt64) {
        address = unsafe UInt(bitPattern: cdisk_make(seed))
    }

    /// An image of another disk: what its processes wrote, durable.
    package convenience init(copyOf disk: Disk, seed: UInt64) {
        self.init(seed: seed)
        unsafe cdisk_copy(pointer, disk.pointer, "")
    }

    deinit {
        precondition(openCount == 0, "who has a file of a disk open keeps the disk")
        unsafe csqlite_forget_summed(cdisk_vfs(pointer))
        unsafe cdisk_free(pointer)
    }

    private var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }

    /// The disk as SQLite and the guard see it.
    package func volume(performing perform: @escaping QueueExecutor.Perform) -> FileSystem {
        FileSystem(
            door: unsafe String(cString: cdisk_vfs(pointer)),
            contains: { unsafe cdisk_exists(self.pointer, $0) },
            read: { path in
                var buffer = [UInt8](repeating: 0, count: 24)
                let count = unsafe cdisk_read(self.pointer, path, &buffer, Int64(buffer.count))
                return count < 0 ? nil : Array(buffer.prefix(Int(count)))
            },
            write: { unsafe cdisk_write(self.pointer, $1, $0, Int64($0.count)) },
            remove: { _ = unsafe cdisk_remove(self.pointer, $0) },
            perform: perform
        )
    }

    package var openCount: Int { unsafe Int(cdisk_open_count(pointer)) }
    package var byteCount: Int64 { unsafe cdisk_used(pointer) }
    package var isOff: Bool { unsafe cdisk_is_off(pointer) }

    /// The machine goes off at a storage call; nil for none.
    package func arm(after calls: Int64?) { unsafe cdisk_arm(pointer, calls ?? -1) }
    /// The machine goes off now.
    package func cut() { unsafe cdisk_cut(pointer) }
    package func start(lostPower: Bool) { unsafe cdisk_start(pointer, lostPower) }
    package func setRoom(_ bytes: Int64?) {
        unsafe cdisk_set_quota(pointer, bytes.map { byteCount + $0 } ?? -1)
    }
    package func setLying(_ lies: Bool) { unsafe cdisk_set_lying(pointer, lies) }
    package func failOnce(after calls: Int64) { unsafe cdisk_fail_once(pointer, calls) }
    /// Replaces the files whose names begin so by those of another disk.
    package func take(filesOf disk: Disk, named prefix: String = "") {
        unsafe cdisk_copy(pointer, disk.pointer, prefix)
    }
    package func contains(_ path: String) -> Bool { unsafe cdisk_exists(pointer, path) }
    package func erase() { unsafe cdisk_erase(pointer) }
    package func content(of path: String) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = unsafe cdisk_read(pointer, path, &buffer, Int64(buffer.count))
        return count < 0 ? nil : Array(buffer.prefix(Int(count)))
    }
    package func write(_ bytes: [UInt8], to path: String) {
        _ = unsafe cdisk_write(pointer, path, bytes, Int64(bytes.count))
    }
    /// Flips one bit of a file; returns the number of its byte, or nil if there is no such file.
    package func flipBit(
        of path: String,
        using random: inout some RandomNumberGenerator
    ) -> Int64? {
        let byteCount = unsafe cdisk_size(pointer, path)
        guard byteCount > 0 else { return nil }
        let bit = Int64.random(in: 0..<byteCount * 8, using: &random)
        unsafe cdisk_flip(pointer, path, bit)
        return bit / 8
    }
    package func remove(_ path: String) { _ = unsafe cdisk_remove(pointer, path) }
}
