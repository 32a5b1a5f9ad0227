internal import SyncCore

extension Service {
    var reconcileRoutes: [Operation] {
        [
            signed(
                "POST",
                "/v1/reconcile",
                name: "reconcile",
                Description(
                    summary: "Stores sets that the log lost; returns what it has of some replicas",
                    takes: Body(content: .cbor, byteLimit: SyncCore.Limits.requestByteLimit),
                    gives: [.with(.cbor)],
                    problems: [.notFound]
                )
            ) { context, caller in
                let request = try context.cbor(ReconcileRequest.init(decoding:))
                guard request.items.count <= SyncCore.Limits.setLimit,
                    request.vector.count <= RequestLimits.vectorReplicas
                else { throw Problem(.tooLarge, "too many sets or replicas in one request") }
                return try await reconcile(request, caller)
            }
        ]
    }

    private func reconcile(
        _ request: ReconcileRequest,
        _ caller: Caller
    ) async throws -> HTTPResponse {
        _ = try await store.lacking([], in: request.space, for: caller.device.id)
        var reply = ReconcileReply(epoch: store.epoch)
        for replica in request.vector.keys {
            reply.heads[replica] = try await store.head(
                of: replica,
                in: request.space,
                for: caller.device.id
            )?.head
        }
        try await putBack(request)
        do {
            reply.results = try await refill(request, caller)
        } catch StoreError.brokenControls {
            reply.results = request.items.map { _ in .failed(.unavailable, 0) }
        }
        return HTTPResponse(cbor: reply.encoded)
    }

    /// Returns the sets of a request that need not follow the head of their replica.
    ///
    /// These are the ones that the log has, or that a set of the log follows. If this server cannot
    /// verify the MAC of a set, they are all that a signature covers.
    private func coveredSets(of request: ReconcileRequest) async throws -> Set<Digest> {
        let sets = request.items.compactMap(NamedSet.init)
        let isForeign = sets.contains { set in
            !set.upload.isControl && !set.upload.verifies(with: keys.deviceKeys(of: set.upload))
        }
        let chain = isForeign ? try await store.chain(of: request.space) : nil
        return try await SignatureCover(sets, of: request.space, by: chain, in: store).hashes
    }

    /// Puts sets into places of the log that lost them.
    ///
    /// Their hashes do not cover the MAC of the device, which is checked as far as this server can.
    private func putBack(_ request: ReconcileRequest) async throws {
        let sets = request.items.compactMap(NamedSet.init)
        let cover = try await SignatureCover(sets, of: request.space, by: nil, in: store).hashes
        let sealed = sets.filter {
            $0.upload.isControl || cover.contains($0.upload.hash)
                || $0.upload.verifies(with: keys.deviceKeys(of: $0.upload))
        }
        try await store.putBack(sealed, to: request.space)
    }

    private func refill(_ request: ReconcileRequest, _ caller: Caller) async throws -> [PushResult]
    {
        var budget = DecodingBudget()
        let receipts = MACKey(keys.receiptSecret.bytes)
        let covered = try await coveredSets(of: request)
        return try await takeIn(request.items) {
            RefilledSet.check($0, in: request.space, by: keys, receipts, covered: covered, &budget)
        } append: { sets in
            let results = try await store.refill(
                sets,
                to: request.space,
                by: caller.device,
                at: now()
            )
            try await noteRevocations(in: sets.map(\.content), of: request.space, results)
            return results
        }
    }
}

extension RefilledSet {
    /// Checks everything about an item that needs no store.
    ///
    /// That is the outer MAC of the device that sealed it, its structure, the hashes of its body
    /// and chunks, its space, and its receipt.
    ///
    /// - Parameter covered: the hashes of sets whose place is certain, and which need no MAC.
    static func check(
        _ item: [UInt8],
        in space: Identifier,
        by keys: ServerKeys,
        _ receipts: MACKey,
        covered: Set<Digest>,
        _ budget: inout DecodingBudget
    ) -> Result<RefilledSet, PushRefusal> {
        do {
            let refill = try RefillItem(decoding: item[...])
            let item = try PushItem(decoding: refill.item[...])
            let upload = try Upload(parsing: item.upload)
            guard upload.header.space == space,
                item.body.map(upload.header.isBody) ?? true
            else { return .failure(PushRefusal(type: .badEncoding)) }
            let sealer = keys.deviceKeys(of: upload)
            let isSealed = upload.verifies(with: sealer)
            let isCovered = covered.contains(upload.hash)
            guard isSealed || upload.isControl || isCovered
            else { return .failure(PushRefusal(type: .badMAC)) }
            let content = try item.body.map {
                try PushedSet.content(of: upload, $0, isSealed ? sealer : nil)
            }
            let chunks = try PushedSet.chunks(item.chunks, of: upload.header, &budget)
            return .success(
                RefilledSet(
                    upload: upload,
                    body: item.body,
                    content: chunks == nil ? .unusable(.refused, reason: "schema") : content,
                    chunks: chunks ?? [:],
                    proven: refill.proven(upload, by: receipts),
                    reason: refill.reason,
                    headSignature: item.headSignature,
                    isCovered: isCovered
                )
            )
        } catch {
            return .failure(PushRefusal(describing: error))
        }
    }
}

extension RefillItem {
    /// Returns the verdict if this server made the receipt for it and for this set.
    fileprivate func proven(_ upload: Upload, by key: MACKey) -> Verdict? {
        guard let verdict, let receipt, key.verifies(receipt, of: upload.name.judged(verdict))
        else { return nil }
        return verdict
    }
}
