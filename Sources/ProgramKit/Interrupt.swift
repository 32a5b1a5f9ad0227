internal import Glibc
internal import Synchronization

/// A request by SIGINT or SIGTERM to end the program.
package enum Interrupt {
    /// The only mutable global: a signal handler has no context and may only do an atomic store.
    private static let raised = Atomic(false)

    /// Whether a signal arrived after ``catchNext()``.
    package static var isRaised: Bool { raised.load(ordering: .relaxed) }

    /// Catches the next SIGINT or SIGTERM; a second one of its kind has its default effect.
    ///
    /// System calls are interrupted, so that a read blocked on input returns.
    @Sendable package static func catchNext() -> @Sendable () -> Bool {
        // Initialises the static before a handler can run, because initialisation allocates.
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
