internal import Dispatch

/// Runs the jobs of one actor, one after the other, on a dispatch queue of its own.
///
/// For an actor whose methods block in C: the cooperative pool has one thread a core.
package final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// An executor whose thread shows `label` in a debugger.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
