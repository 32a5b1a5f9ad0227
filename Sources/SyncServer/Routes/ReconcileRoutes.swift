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
        _ = try await store.lacking([], in: request.space, for: caller.user)
        var reply = ReconcileReply(epoch: store.epoch)
        for replica in request.vector.keys {
            reply.heads[replica] = try await store.head(
                of: replica,
                in: request.space,
                for: caller.user
            )
        }
        reply.results = try await refill(request, caller)
        return HTTPResponse(cbor: reply.encoded)
    }

    private func refill(_ request: ReconcileRequest, _ caller: Caller) async throws -> [PushResult]
    {
        var budget = DecodingBudget()
        let receipts = MACKey(keys.receiptSecret.bytes)
        return try await takeIn(request.items) {
            RefilledSet.check($0, in: request.space, by: keys, receipts, &budget)
        } append: {
            try await store.refill($0, to: request.space, by: caller.device, at: now())
        }
    }
}

extension RefilledSet {
    /// Checks everything about an item that needs no store.
    ///
    /// That is the outer MAC of the device that signed it, its structure, the hashes of its body
    /// and chunks, its space, and its receipt.
    static func check(
        _ item: [UInt8],
        in space: Identifier,
        by keys: ServerKeys,
        _ receipts: MACKey,
        _ budget: inout DecodingBudget
    ) -> Result<RefilledSet, PushRefusal> {
        do {
            let refill = try RefillItem(decoding: item[...])
            let item = try PushItem(decoding: refill.item[...])
            let upload = try Upload(parsing: item.upload)
            guard upload.header.space == space else {
                return .failure(PushRefusal(type: .badEncoding))
            }
            let signer = keys.deviceKeys(of: upload)
            guard let key = signer.macKey(epoch: upload.outer.keyEpoch),
                upload.outer.verifies(with: key, for: .device)
            else { return .failure(PushRefusal(type: .badMAC)) }
            if let body = item.body, Digest(of: body) != upload.header.bodyHash {
                return .failure(PushRefusal(type: .badEncoding))
            }
            let content = try item.body.map { try PushedSet.content(of: upload, $0, signer) }
            let chunks = try PushedSet.chunks(item.chunks, of: upload.header, &budget)
            return .success(
                RefilledSet(
                    upload: upload,
                    body: item.body,
                    content: chunks == nil ? .unusable(.refused, reason: "schema") : content,
                    chunks: chunks ?? [:],
                    proven: refill.isProven(upload, by: receipts)
                        ? refill.judgement : nil,
                    reason: refill.reason
                )
            )
        } catch {
            return .failure(PushRefusal(describing: error))
        }
    }
}

extension RefillItem {
    /// Whether this server made the receipt for this set and verdict.
    fileprivate func isProven(_ upload: Upload, by key: MACKey) -> Bool {
        guard let judgement, let receipt else { return false }
        return key.verifies(receipt, of: upload.name.judged(judgement))
    }
}
