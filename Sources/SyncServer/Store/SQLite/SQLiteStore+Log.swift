internal import SyncCore

extension SQLiteStore {
    func append(
        _ sets: [PushedSet],
        to space: Identifier,
        by device: Device,
        at now: UnixTime
    ) async throws -> [PushResult] {
        guard !sets.isEmpty else { return [] }
        var question = LogQuestion(space: space, asker: device)
        for set in sets { question.insert(set.upload, set.chunks) }
        return try await decide(question, at: now) { decision in sets.map { decision.append($0) } }
    }

    func refill(
        _ sets: [RefilledSet],
        to space: Identifier,
        by device: Device,
        at now: UnixTime
    ) async throws -> [PushResult] {
        var question = LogQuestion(space: space, asker: device)
        for set in sets { question.insert(set.upload, set.chunks) }
        question.devices = Set(sets.map(\.upload.header.device))
        return try await decide(question, at: now) { decision in sets.map { decision.refill($0) } }
    }

    func settle(
        _ set: ReplicaSequence,
        in space: Identifier,
        _ decision: HeldDecision,
        by device: Device,
        at now: UnixTime
    ) async throws {
        let question = LogQuestion(space: space, asker: device, names: [set])
        try await decide(question, at: now, isGrowing: decision == .adopt) {
            try $0.settle(set, decision)
        }
    }

    /// Reads the facts, calls `body` and stores its decision, in one write.
    private func decide<Result: Sendable>(
        _ question: LogQuestion,
        at now: UnixTime,
        isGrowing: Bool = true,
        _ body: @escaping @Sendable (inout LogDecision) throws -> Result
    ) async throws -> Result {
        let receipts = receiptSecret
        return try await write(isGrowing: isGrowing) { tables in
            var decision = LogDecision(
                asker: question.asker,
                now: now,
                receipts: MACKey(receipts.bytes),
                facts: try tables.facts(for: question)
            )
            let result = try body(&decision)
            try tables.store(decision.rows, in: question.space)
            return result
        }
    }
}
