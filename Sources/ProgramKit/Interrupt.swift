internal import Glibc
internal import Synchronization

/// The wish of a person or of the system that the program ends.
package enum Interrupt {
    /// The one mutable global: a signal handler can reach nothing else, and an atomic store is all
    /// that it may do.
    private static let raised = Atomic(false)

    /// Whether a signal came after ``catchNext()``.
    package static var isRaised: Bool { raised.load(ordering: .relaxed) }

    /// Catches the next SIGINT and SIGTERM; the one after that has its usual effect.
    ///
    /// System calls are interrupted, so that a read that waits for input comes back.
    @Sendable package static func catchNext() -> @Sendable () -> Bool {
        // Made before a handler can run: the first use of a static allocates.
        _ = isRaised
        for signal in [SIGINT, SIGTERM] {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { _ in
                Interrupt.raised.store(true, ordering: .relaxed)
            }
            action.sa_flags = CInt(bitPattern: UInt32(SA_RESETHAND))
            unsafe sigaction(signal, &action, nil)
        }
        return { isRaised }
    }
}
