internal import FoundationEssentials

extension Synchronizer {
    /// So many bytes are brought back without asking first what the server has.
    private static let unaskedByteLimit = 64 * 1024

    /// Brings back what the server's log lacks, as much as one request takes.
    ///
    /// Others may be doing the same: where it is much, the version vector tells first what is lacked.
    ///
    /// - Parameter place: what stands up to there was offered in vain; nil before anything was.
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
                at: now().wall
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
            try $0.backfill.offers(
                of: space,
                after: place ?? .start,
                byteLimit: limit
            )
        }
        guard place == nil, all.items.reduce(0, { $0 + $1.count }) > Self.unaskedByteLimit else {
            return all
        }
        var question = ReconcileRequest(space: space)
        question.vector = try await replica.read { try $0.backfill.orphanVector(of: space) }
        let heads = try await client.reconcile(question).heads
        var lacking = try await replica.read {
            try $0.backfill.offers(
                of: space,
                beyond: heads,
                byteLimit: limit
            )
        }
        guard !lacking.items.isEmpty else { return all }
        // A head says nothing of what is below it, which may be what was lost: that comes next.
        lacking.reach = .start
        return lacking
    }

    /// A set that another one has the place of, or whose author this server cannot tell, never comes
    /// into its log: its changes are written again.
    private static let finalProblems = Set(
        [ProblemType.fork, .badMAC, .unauthorized].map(\.rawValue)
    )

    /// Brings chunks that the server lacks; returns how many were here.
    func bring(_ chunks: [WantedChunk]) async throws -> Int {
        var count = 0
        for chunk in chunks {
            guard let bytes = try await replica.read({ try $0.chunks.bytes(chunk.hash) }),
                Digest(of: bytes) == chunk.hash
            else { continue }
            let request = HTTPRequest(
                "PUT",
                "/v1/spaces/\(chunk.space)/chunks/\(chunk.hash)",
                headers: ["content-type": "application/octet-stream"],
                body: bytes
            )
            do {
                _ = try await client.send(request)
                count += 1
            } catch let problem as ServerProblem where problem.type?.remedy != .retry {
                // One that is not taken keeps no other from being brought or fetched.
                continue
            }
        }
        return count
    }

    /// Shows the server its own receipt for this device's enrolment, which it lost.
    func readmit() async throws {
        let identity = try await replica.read { try $0.identity.current() }
        guard let receipt = identity.enrolment else {
            throw ServerProblem(
                type: .unauthorized,
                status: ProblemType.unauthorized.status,
                detail: "this device has no receipt of its enrolment",
                serverTime: nil
            )
        }
        let request = ReadmissionRequest(
            user: identity.user.description,
            name: identity.name,
            key: Base64.url.encode(identity.privateKey.publicKey),
            receipt: Base64.url.encode(receipt)
        )
        _ = try await client.send(
            HTTPRequest(
                "PUT",
                "/v1/devices/me",
                headers: ["content-type": "application/json"],
                body: Array(try JSONEncoder().encode(request))
            )
        )
    }

    /// Mends a space whose fingerprint is not the server's.
    ///
    /// First the rows that differ are merged anew from the sets that are here; where those say what
    /// the base says, it is the server's view that is wrong, and the server builds it again. What
    /// differs after that differs in the sets: the log is taken from its beginning.
    func repair(_ space: Identifier, attempt: Int) async throws {
        guard attempt == 0 else {
            return try await replica.write {
                try $0.rebase.startOver(space, isLost: false, at: now().wall)
            }
        }
        do {
            let rows = try await differences(in: space)
            guard try await replica.write({ try $0.audit.repairBase(rows, of: space) }).isEmpty
            else { return }
            _ = try await client.audit(try await question(space, .collections, rebuilds: true))
        } catch is ServerProblem {
            // It cannot tell now; the next attempt does not ask.
        } catch is ChangeSetError {
            // A set that is here is damaged; the next attempt fetches it again.
        }
    }

    /// The rows of which server and base say something else.
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
