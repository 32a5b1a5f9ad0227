internal import ProgramKit

/// Shows the progress of a backup, a restore or a doctor run.
struct StepProgress: Sendable {
    private let progress: Progress
    private let copying = Locked<Task<Void, any Error>?>(nil)

    init(_ context: ServerContext) {
        progress = Progress(
            "verifying",
            total: nil,
            unit: .items("records"),
            output: context.output,
            now: context.now
        )
    }

    @Sendable func begin(_ step: Backup.Step) {
        stopLooking()
        switch step {
        case .verifying: progress.begin("verifying", total: nil, unit: .items("records"))
        case .copying(let byteCount, let path):
            progress.begin("copying", total: Int(byteCount), unit: .bytes)
            look(at: path)
        }
    }

    @Sendable func update(done: Int, total: Int) { progress.update(done: done, total: total) }

    /// Clears the progress line; nothing is drawn afterwards.
    func end() {
        stopLooking()
        progress.end()
    }

    /// Polls the file's size, because SQLite copies in one call without progress.
    private func look(at path: String) {
        let task = Task { [progress] in
            while true {
                try await Task.sleep(for: .milliseconds(200))
                progress.update(done: Int((try? FileCopy.byteCount(of: path)) ?? 0))
            }
        }
        copying.withLock { $0 = task }
    }

    private func stopLooking() {
        copying.withLock {
            $0?.cancel()
            $0 = nil
        }
    }
}
