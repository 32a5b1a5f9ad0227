internal import SyncCore

/// How sets come in, whether their author pushes them or a member brings them back.
extension Service {
    /// So many sets are open at once: each can hold 1 MiB when decompressed.
    private static let batchLimit = 16

    /// What is told of the first set that finds no room, and of all after it.
    private static let full = PushResult.failed(.storageFull, 0)

    /// Checks each item by itself and appends the good ones a few at a time, so that a request holds
    /// little of what comes out of its compressed parts; results are in order.
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
