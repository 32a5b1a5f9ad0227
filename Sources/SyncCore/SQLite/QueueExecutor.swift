internal import Dispatch

/// Runs the jobs of one actor, one after the other, on a dispatch queue of its own.
///
/// For an actor whose methods block in C: the cooperative pool has one thread a core.
package final class QueueExecutor: SerialExecutor {
    /// Runs a job later, after all that it was given before.
    package typealias Perform = @Sendable (_ job: @escaping @Sendable () -> Void) -> Void

    private let perform: Perform

    /// An executor for work that waits for a disk; its thread shows `label` in a debugger.
    package init(label: String, for volume: FileSystem = .system) {
        perform = volume.perform ?? Self.queue(label)
    }

    private static func queue(_ label: String) -> Perform {
        let queue = DispatchQueue(label: label)
        return { queue.async(execute: $0) }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        perform { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
