internal import CSQLite

/// How long a connection waits for another process's lock on the file.
public struct LockWait: Sendable {
    /// The time after which a statement fails with ``DatabaseError/Kind/busy``.
    public var limitMilliseconds: Int

    /// Called once for each wait that has lasted a second, on the thread of the statement.
    public var onLongWait: @Sendable () -> Void

    /// Pauses for the given number of milliseconds.
    var sleep: @Sendable (Int32) -> Void = { csqlite_sleep($0) }

    private static let pauseMilliseconds: Int32 = 10
    private static let longMilliseconds = 1000

    /// Waits for `limitMilliseconds`, and calls `onLongWait` after the first second.
    public init(limitMilliseconds: Int = 5000, onLongWait: @escaping @Sendable () -> Void = {}) {
        self.limitMilliseconds = limitMilliseconds
        self.onLongWait = onLongWait
    }

    /// Pauses before the next attempt; returns false if the wait is over.
    ///
    /// `tries` is the number of earlier attempts to take this lock.
    func pause(after tries: Int) -> Bool {
        let waited = tries * Int(Self.pauseMilliseconds)
        guard waited < limitMilliseconds else { return false }
        if waited == Self.longMilliseconds { onLongWait() }
        sleep(Self.pauseMilliseconds)
        return true
    }
}

final class LockWaiter {
    private let wait: LockWait

    init(_ wait: LockWait) { self.wait = wait }

    /// Installs the busy handler.
    ///
    /// The waiter must live as long as the connection.
    func attach(to handle: csqlite_connection) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe csqlite_on_busy(
            handle,
            { context, tries in
                let waiter = unsafe Unmanaged<LockWaiter>.fromOpaque(context).takeUnretainedValue()
                return waiter.wait.pause(after: Int(tries)) ? 1 : 0
            },
            context
        )
    }
}
