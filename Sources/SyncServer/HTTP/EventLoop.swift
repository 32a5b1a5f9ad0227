internal import CEvent
internal import Dispatch
internal import Glibc

/// A thread that runs a libevent loop, and the executor of the actors confined to it.
///
/// An actor on the loop may call libevent without locks, and a libevent callback may assume the
/// actor's isolation. Slow or blocking work must run elsewhere. The thread starts with the value
/// and runs until ``stop()``.
@safe final class EventLoop: SerialExecutor {
    /// The `event_base`, for the actors on the loop.
    nonisolated(unsafe) let base: OpaquePointer
    // Set once; libevent locks it (evthread_use_pthreads).

    nonisolated(unsafe) private let wake: OpaquePointer
    // Set once; event_active takes the lock of `base`.

    private let mailbox: Locked<Mailbox>

    /// Runs jobs after the thread has ended, so that no caller awaits the loop for ever.
    private let afterwards = DispatchQueue(label: "wake.loop.afterwards")

    init() {
        precondition(Self.isProcessReady, "libevent_pthreads could not be set up")
        mailbox = Locked(Mailbox())
        let context = unsafe Unmanaged.passUnretained(mailbox).toOpaque()
        let callback: @convention(c) (Int32, Int16, UnsafeMutableRawPointer?) -> Void = {
            guard let context = unsafe $2 else { return }
            unsafe EventLoop.work(Unmanaged<Locked<Mailbox>>.fromOpaque(context))
        }
        guard let base = unsafe event_base_new(),
            let wake = unsafe event_new(base, -1, 0, callback, context)
        else { preconditionFailure("no memory for an event loop") }
        unsafe self.base = base
        unsafe self.wake = wake
        startThread()
    }

    deinit {
        unsafe event_free(wake)
        unsafe event_base_free(base)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        post { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        let thread = mailbox.withLock { $0.thread }
        precondition(thread == pthread_self(), "not on the loop's thread")
    }

    /// Ends the loop and joins its thread; the caller stops all listeners first.
    func stop() async {
        let thread = await withCheckedContinuation { continuation in
            let hasEnded = mailbox.withLock { box in
                if !box.hasEnded { box.waiting.append(continuation) }
                return box.hasEnded
            }
            if hasEnded { return continuation.resume(returning: nil) }
            post { _ = unsafe event_base_loopbreak(self.base) }
        }
        if let thread { _ = pthread_join(thread, nil) }
    }
}

extension EventLoop {
    /// The work that other threads post to the loop.
    private struct Mailbox: Sendable {
        var work: [@Sendable () -> Void] = []
        var waiting: [CheckedContinuation<pthread_t?, Never>] = []
        var thread: pthread_t?
        var hasEnded = false

        /// Removes and returns all work; if there is none and `ending`, no more is accepted.
        mutating func takeWork(ending: Bool = false) -> [@Sendable () -> Void] {
            hasEnded = ending && work.isEmpty
            defer { work = [] }
            return work
        }
    }

    /// Sets up libevent's locks and ignores SIGPIPE, once per process.
    private static let isProcessReady: Bool = {
        _ = signal(SIGPIPE, SIG_IGN)
        return evthread_use_pthreads() == 0
    }()

    /// The number of files and sockets that the process may open, raised to the hard limit.
    static let descriptorLimit = cevent_raise_descriptor_limit()

    private func post(_ work: @escaping @Sendable () -> Void) {
        let isAccepted = mailbox.withLock { box in
            if !box.hasEnded { box.work.append(work) }
            return !box.hasEnded
        }
        if isAccepted {
            unsafe event_active(wake, 0, 0)
        } else {
            afterwards.async(execute: work)
        }
    }

    private static func work(_ mailbox: Unmanaged<Locked<Mailbox>>) {
        for work in unsafe mailbox.takeUnretainedValue().withLock({ $0.takeWork() }) { work() }
    }

    private func startThread() {
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            guard let context = unsafe $0 else { return nil }
            unsafe Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run()
            return nil
        }
        let code = unsafe pthread_create(&thread, nil, main, context)
        precondition(code == 0, "no thread for an event loop")
    }

    private func run() {
        mailbox.withLock { $0.thread = pthread_self() }
        _ = unsafe cevent_run(base)
        while true {
            let rest = mailbox.withLock { $0.takeWork(ending: true) }
            if rest.isEmpty { break }
            for work in rest { work() }
        }
        let (thread, waiting) = mailbox.withLock { ($0.thread, $0.waiting) }
        for (index, continuation) in waiting.enumerated() {
            continuation.resume(returning: index == 0 ? thread : nil)
        }
    }
}
