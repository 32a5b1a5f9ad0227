internal import SyncCore

/// Intake of change sets, pushed by their author or brought back by a member.
extension Service {
    /// The limit of sets in memory at once: each can have 1 MiB when decompressed.
    private static let batchLimit = 16

    /// The result for the first set that the disk has no room for, and for all after it.
    private static let full = PushResult.failed(.storageFull, 0)

    /// Checks each item on its own, and appends the valid ones in small batches.
    ///
    /// Batches limit the memory for decompressed sets. Results are in the order of the items.
    func takeIn<Checked>(
        _ items: [[UInt8]],
        check: ([UInt8]) -> Result<Checked, PushRefusal>,
        append: ([Checked]) async throws -> [PushResult]
    ) async throws -> [PushResult] {
        var results: [PushResult] = []
        var batch: [Checked] = []
        for item in items {
            let checked = check(item)
            if case .success(let set) = checked { batch.append(set) }
            guard batch.count == Self.batchLimit || (try? checked.get()) == nil else { continue }
            results += try await Self.appended(batch, append)
            batch = []
            if case .failure(let refusal) = checked { results.append(.failed(refusal.type, 0)) }
            guard results.last != Self.full else { break }
        }
        results += try await Self.appended(batch, append)
        results += items.dropFirst(results.count).map { _ in Self.full }
        count(results)
        return results
    }

    private static func appended<Checked>(
        _ sets: [Checked],
        _ append: ([Checked]) async throws -> [PushResult]
    ) async throws -> [PushResult] {
        guard !sets.isEmpty else { return [] }
        do {
            return try await append(sets)
        } catch let error as DatabaseError where error.kind == .full {
            return sets.map { _ in full }
        }
    }

    private func count(_ results: [PushResult]) {
        for result in results {
            switch result {
            case .judged(_, let verdict, _):
                metrics.increase(.judgedSets, ["verdict": "\(verdict)"])
            case .failed(let problem, _): metrics.increase(.failedSets, ["problem": problem])
            }
        }
    }
}
