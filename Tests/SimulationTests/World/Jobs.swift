import CJobs
import SimulatedDisk
import SyncCore

@testable import SyncServer

/// All work of one world on one thread, in the order in which it came.
///
/// What the actors of a world do, and what the runtime would hand to its pool of threads, waits here
/// until ``drain()`` runs it. So nothing runs at the same time as anything else, and the same seed
/// does the same.
final class Jobs: Sendable {
    private let waiting = Locked<[@Sendable () -> Void]>([])

    /// Makes this thread a world's for as long as `body` runs.
    func own<Result>(_ body: () throws -> Result) rethrows -> Result {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe cjobs_redirect(
            { context, job in
                guard let context = unsafe context, let work = unsafe job else { return }
                let address = UInt(bitPattern: work)
                unsafe Unmanaged<Jobs>.fromOpaque(context).takeUnretainedValue()
                    .perform { unsafe cjobs_run(UnsafeMutableRawPointer(bitPattern: address)) }
            },
            context
        )
        defer { cjobs_redirect(nil, nil) }
        return try body()
    }

    /// Runs a job after all that were given before.
    @Sendable func perform(_ job: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(job) }
    }

    /// Runs what waits until everything has ended, or waits for the world.
    func drain() {
        while true {
            let jobs = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            if jobs.isEmpty { return }
            for job in jobs { job() }
        }
    }

    /// Runs so many of the jobs that wait.
    func step(_ count: Int) {
        for _ in 0..<count {
            guard let job = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                return
            }
            job()
        }
    }

    /// Starts `body`; its result is there when it has ended.
    func start<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Locked<Result<Value, any Error>?> {
        let result = Locked<Result<Value, any Error>?>(nil)
        Task {
            do {
                let value = try await body()
                result.withLock { $0 = .success(value) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
        }
        return result
    }

    /// Runs `body`, which waits for nothing in the world, to its end.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let result = start(body)
        drain()
        guard let ended = result.withLock({ $0 }) else { throw Blocked() }
        return try ended.get()
    }

    /// Something waits for the world that must not.
    struct Blocked: Error {}
}

extension Disk {
    /// The disk as SQLite and the guard see it, for what runs in a world.
    func volume(for jobs: Jobs) -> FileSystem { volume(performing: jobs.perform) }
}
