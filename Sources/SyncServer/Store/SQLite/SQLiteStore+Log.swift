internal import SyncCore

extension SQLiteStore {
    func append(
        _ sets: [PushedSet],
        to space: Identifier,
        by device: Device,
        at now: UnixTime
    ) async throws -> [PushResult] {
        guard !sets.isEmpty else { return [] }
        var question = LogQuestion(space: space, asker: device, isForFormer: true)
        for set in sets {
            question.insert(set.upload, set.chunks)
            let seen = set.upload.header.seen.position
            if seen.epoch == epoch, seen.position > 0 { question.positions.insert(seen) }
            if case .control(let control) = set.content { question.insert(control) }
        }
        let positions = question.positions
        let isGrowing = !sets.allSatisfy(\.shutsOut)
        let appending = { @Sendable (decision: inout LogDecision) in
            sets.map { decision.append($0, comparing: positions) }
        }
        let results = try await decide(question, at: now, isGrowing: isGrowing, appending)
        // It may be the link here that is damaged.
        guard results.contains(.failed(.cursorReset, 0)),
            try await repair(Set(positions.map(\.position)), in: space)?.isEmpty == false
        else { return results }
        return try await decide(question, at: now, isGrowing: isGrowing, appending)
    }

    func refill(
        _ sets: [RefilledSet],
        to space: Identifier,
        by device: Device,
        at now: UnixTime
    ) async throws -> [PushResult] {
        var question = LogQuestion(space: space, asker: device)
        for set in sets {
            question.insert(set.upload, set.chunks)
            if case .control(let control) = set.content { question.insert(control) }
        }
        return try await decide(question, at: now) { decision in sets.map { decision.refill($0) } }
    }

    func putBack(_ sets: [NamedSet], to space: Identifier) async throws {
        guard try !LogGaps(tables: tables, space: space).first(1).isEmpty else { return }
        try await write { [receiptSecret] tables in
            let receipts = MACKey(receiptSecret.bytes)
            return try LogRepair(of: space, in: tables, receipts: receipts).putBack(sets)
        }
    }

    /// Reads the facts, calls `body` and stores its decision, in one write.
    ///
    /// - Parameter entering: prepares the space of a device that enters.
    func decide<Result: Sendable>(
        _ question: LogQuestion,
        at now: UnixTime,
        isGrowing: Bool = true,
        preparing entering: Entering? = nil,
        _ body: @escaping @Sendable (inout LogDecision) throws -> Result
    ) async throws -> Result {
        let receipts = receiptSecret
        return try await write(isGrowing: isGrowing) { tables in
            if let entering { try tables.prepare(entering, at: now) }
            let key = MACKey(receipts.bytes)
            var decision = LogDecision(
                asker: question.asker,
                now: now,
                receipts: key,
                facts: try tables.facts(for: question)
            )
            if !decision.facts.end.isLinked {
                let repair = try LogRepair(of: question.space, in: tables, receipts: key)
                _ = try repair.repair([decision.facts.end.head])
                decision.facts = try tables.facts(for: question)
            }
            let result = try body(&decision)
            try tables.store(decision.rows, in: question.space, at: now)
            tables.chains.keep(decision.facts.chain)
            if let entering { try tables.finish(entering, decision.facts.chain) }
            return result
        }
    }
}
