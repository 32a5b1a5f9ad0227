internal import CSQLite

/// How long a connection waits for another process's lock on the file.
public struct LockWait: Sendable {
    /// After so many milliseconds without the lock a statement fails with
    /// ``DatabaseError/Kind/busy``.
    public var limitMilliseconds: Int

    /// Called once for each wait that has lasted a second, on the replica's thread.
    public var isLong: @Sendable () -> Void

    /// Waits for `limitMilliseconds`, and calls `isLong` after the first second.
    public init(limitMilliseconds: Int = 5000, isLong: @escaping @Sendable () -> Void = {}) {
        self.limitMilliseconds = limitMilliseconds
        self.isLong = isLong
    }

    /// Pauses for so many milliseconds.
    var sleep: @Sendable (Int32) -> Void = { sqlite3_sleep($0) }

    static let pauseMilliseconds: Int32 = 10
    private static let longMilliseconds = 1000

    /// Pauses before the next try; false if the wait is over.
    ///
    /// `tries` is how often this lock was asked for before.
    func pause(after tries: Int) -> Bool {
        let waited = tries * Int(Self.pauseMilliseconds)
        guard waited < limitMilliseconds else { return false }
        if waited == Self.longMilliseconds { isLong() }
        sleep(Self.pauseMilliseconds)
        return true
    }
}

/// Holds a ``LockWait`` for SQLite, which calls back with a pointer.
final class LockWaiter {
    private let wait: LockWait

    init(_ wait: LockWait) {
        self.wait = wait
    }

    /// Has a connection wait as it should; the waiter must live as long as the connection.
    func attach(to handle: OpaquePointer) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe sqlite3_busy_handler(
            handle,
            { context, tries in
                guard let context = unsafe context else { return 0 }
                let waiter = unsafe Unmanaged<LockWaiter>.fromOpaque(context).takeUnretainedValue()
                return waiter.wait.pause(after: Int(tries)) ? 1 : 0
            },
            context
        )
    }
}
