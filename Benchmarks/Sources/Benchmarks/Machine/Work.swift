internal import CProbe

/// What was asked of SQLite and of the disk.
struct Work: Sendable {
    /// Statements that ran, `BEGIN` and `COMMIT` included.
    var statements: Int
    /// Instructions of SQLite's machine: a scan shows here, and in no other count.
    var steps: Int
    /// Transactions that wrote.
    var commits: Int
    /// Calls of fsync and fdatasync.
    var syncs: Int
    /// Calls of malloc, calloc and realloc.
    var allocations: Int

    /// What `body` asked for.
    static func of(_ body: () async throws -> Void) async rethrows -> Work {
        let before = cprobe_done()
        try await body()
        let after = cprobe_done()
        return Work(
            statements: after.statements - before.statements,
            steps: after.steps - before.steps,
            commits: after.commits - before.commits,
            syncs: after.syncs - before.syncs,
            allocations: after.allocations - before.allocations
        )
    }

    /// The three figures as counts of `what`.
    func counts(of what: String) -> [Count] {
        [
            Count("statements, \(what)", statements),
            Count("commits, \(what)", commits),
            Count("syncs to disk, \(what)", syncs),
        ]
    }
}
