internal import Glibc

/// A value behind a lock, for state that is too hot or too small for an actor.
///
/// This is the project's only lock. It replaces `Synchronization.Mutex`, which ThreadSanitizer does
/// not support on Linux (swift 6.3.1).
@safe final class Locked<Value: Sendable>: Sendable {
    nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // The pointer is set once; a POSIX mutex may be used from every thread.

    nonisolated(unsafe) private var value: Value
    // Protected by `mutex`.

    init(_ value: Value) {
        unsafe self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        let code = unsafe pthread_mutex_init(mutex, nil)
        precondition(code == 0, "a mutex with default attributes always comes to be")
    }

    deinit {
        _ = unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Reads or changes the value; `body` must be short and take no other lock.
    func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        _ = unsafe pthread_mutex_lock(mutex)
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value)
    }
}
