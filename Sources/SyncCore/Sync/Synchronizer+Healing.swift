extension Synchronizer {
    /// Up to this many bytes, a backfill skips the question which sets the server lacks.
    private static let unaskedByteLimit = 64 * 1024

    /// Refills the server's log with orphans, as many as fit one request.
    ///
    /// Other devices may be refilling it too. So a large backfill first sends the version vector to
    /// learn what the server lacks.
    ///
    /// - Parameter place: The position up to which earlier offers were in vain; nil for the first
    ///   offer.
    func offer(
        _ space: Identifier,
        after place: BackfillPosition?
    ) async throws -> BackfillOutcome {
        let offers = try await offers(of: space, after: place)
        guard !offers.items.isEmpty else { return BackfillOutcome() }
        var request = ReconcileRequest(space: space)
        request.items = offers.items
        let results = try await client.reconcile(request).results
        var offered = try await replica.write {
            try $0.backfill.recordOutcome(
                offered: results,
                of: offers.items,
                final: Self.finalProblems,
                at: $0.identity.current().time(at: now())
            )
        }
        offered.reach = offers.reach
        return offered
    }

    private func offers(
        of space: Identifier,
        after place: BackfillPosition?
    ) async throws -> BackfillRequest {
        let limit = Self.pushByteLimit
        let all = try await replica.read {
            try $0.backfill.offers(of: space, after: place ?? .start, byteLimit: limit)
        }
        guard place == nil, all.items.reduce(0, { $0 + $1.count }) > Self.unaskedByteLimit else {
            return all
        }
        var question = ReconcileRequest(space: space)
        question.vector = try await replica.read { try $0.backfill.orphanVector(of: space) }
        let heads = try await client.reconcile(question).heads
        var lacking = try await replica.read {
            try $0.backfill.offers(of: space, beyond: heads, byteLimit: limit)
        }
        guard !lacking.items.isEmpty else { return all }
        // Sets below the server's head may be missing too, so the next offer starts at the
        // beginning.
        lacking.reach = .start
        return lacking
    }

    /// The problems after which the log can never contain the set under its name.
    ///
    /// Either another set has the name, or the server cannot authenticate the author. The changes
    /// are issued again in a new set.
    private static let finalProblems = Set(
        [ProblemType.fork, .badMAC, .unauthorized].map(\.rawValue)
    )

    /// Sends the sets at these positions again, which the server lost or whose bodies it lost.
    ///
    /// Returns whether the server took one.
    func bring(setsAt positions: [UInt64], in space: Identifier) async throws -> Bool {
        guard !positions.isEmpty else { return false }
        var request = ReconcileRequest(space: space)
        request.items = try await replica.read {
            try $0.backfill.offers(at: positions, in: space, byteLimit: Self.pushByteLimit)
        }
        guard !request.items.isEmpty else { return false }
        return try await client.reconcile(request).results.contains {
            if case .judged = $0 { true } else { false }
        }
    }

    /// Uploads chunks that the server lacks; returns how many the server stored.
    func bring(_ chunks: [WantedChunk]) async throws -> Int {
        var count = 0
        for chunk in chunks {
            let found = try await replica.read {
                try $0.chunks.bytes(chunk.hash, for: chunk.space)
            }
            guard let bytes = found else { continue }
            let request = HTTPRequest(
                "PUT",
                "/v1/spaces/\(chunk.space)/chunks/\(chunk.hash)",
                headers: ["content-type": MediaType.bytes],
                body: bytes
            )
            do {
                _ = try await client.send(request)
                count += 1
            } catch let problem as ServerProblem where problem.type?.remedy != .retry {
                // A rejected chunk must not block the transfer of the others.
                continue
            }
        }
        return count
    }

    /// Gets the MAC key again from a server that lost this device, or tells that it was revoked.
    ///
    /// The control sets that the server lacks come along.
    func readmit() async throws {
        do {
            try await enroller.host(with: replica, at: now())
        } catch let problem as ServerProblem where problem.type == .unauthorized {
            guard try await hasEnteredAgain() else { throw problem }
        }
        await client.use(try await replica.read { try $0.identity.deviceKeys() })
    }

    /// Has the server host a space; returns the problem if its rules do not allow that.
    ///
    /// If this device is not in the space any more, the next reply says so again.
    func host(_ space: Identifier) async throws -> String? {
        do {
            let own = try await replica.read { try $0.spaces.own() }
            if space == own {
                try await enroller.host(with: replica, at: now())
            } else if try await !hasLearntEnd(of: space) {
                try await enroller.hostShared(space, with: replica)
            }
            return nil
        } catch let problem as ServerProblem where problem.type?.remedy != .retry {
            return problem.type == .forbidden ? ProblemType.forbidden.rawValue : nil
        }
    }

    private func hasEnteredAgain() async throws -> Bool {
        do {
            return try await enroller.enterAgain(with: replica, at: now())
        } catch is ServerProblem {
            return false
        } catch is EnrolmentError {
            return false
        }
    }

    /// Repairs a space whose fingerprint differs from the server's.
    ///
    /// Attempt 0 merges the differing rows again from the stored sets. If no row changes, the
    /// server's view is wrong, and the server is asked to rebuild it. Any later attempt resets the
    /// base and merges the log again from its beginning, because then the sets themselves differ.
    func repair(_ space: Identifier, attempt: Int) async throws {
        guard attempt == 0 else {
            return try await replica.write {
                try $0.rebase.repair(space, at: now().wall)
            }
        }
        do {
            let rows = try await differences(in: space)
            guard try await replica.write({ try $0.audit.repairBase(rows, of: space) }).isEmpty
            else { return }
            _ = try await client.audit(try await question(space, .collections, rebuilds: true))
        } catch is ServerProblem {
            // The server cannot help now; the next attempt does not ask it.
        } catch is ChangeSetError {
            // A stored set is damaged; the next attempt downloads it again.
        }
    }

    /// Returns the rows whose sums differ between server and base.
    private func differences(in space: Identifier) async throws -> Set<RowPlace> {
        var rows: Set<RowPlace> = []
        for name in try await differences(in: space, .collections) {
            guard case .collection(let collection) = name else { continue }
            for name in try await differences(in: space, .buckets(of: collection)) {
                guard case .bucket(let bucket) = name else { continue }
                for name in try await differences(in: space, .rows(of: collection, bucket: bucket))
                {
                    guard case .row(let row) = name else { continue }
                    rows.insert(RowPlace(collection: collection, row: row))
                }
            }
        }
        return rows
    }

    private func differences(
        in space: Identifier,
        _ scope: AuditScope
    ) async throws -> Set<AuditSum.Name> {
        let theirs = try await client.audit(try await question(space, scope)).sums
        return AuditSum.differences(
            try await replica.read { try $0.audit.sums(space, scope) }.sums,
            theirs
        )
    }

    private func question(
        _ space: Identifier,
        _ scope: AuditScope,
        rebuilds: Bool = false
    ) async throws -> AuditRequest {
        let spaces = try await replica.read { try $0.spaces.all() }
        return AuditRequest(
            space: space,
            cursor: spaces.first { $0.id == space }?.merged ?? .none,
            scope: scope,
            rebuilds: rebuilds
        )
    }
}
