internal import Dispatch

/// A serial executor that runs one actor's jobs on its own dispatch queue.
///
/// For an actor whose methods block in C: the cooperative pool has one thread per core.
package final class QueueExecutor: SerialExecutor {
    /// Runs a job later, after all earlier ones.
    package typealias Perform = @Sendable (_ job: @escaping @Sendable () -> Void) -> Void

    private let perform: Perform

    /// Creates an executor for blocking disk work.
    ///
    /// A debugger shows `label` for its thread.
    package init(label: String, for fileSystem: FileSystem = .system) {
        perform = fileSystem.perform ?? Self.queue(label)
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
