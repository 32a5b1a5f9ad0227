internal import SyncCore

extension Service {
    var auditRoutes: [Operation] {
        [
            signed(
                "POST",
                "/v1/audit",
                name: "audit",
                Description(
                    summary: "Returns sums over the cells of a space, to locate differences",
                    takes: Body(content: .cbor, byteLimit: RequestLimits.auditBytes),
                    gives: [.with(.cbor)],
                    problems: [.notFound, .cursorReset]
                )
            ) { context, caller in
                try await audit(try context.cbor(AuditRequest.init(decoding:)), caller)
            }
        ]
    }

    private func audit(_ request: AuditRequest, _ caller: Caller) async throws -> HTTPResponse {
        let memberships = try await store.spaces(of: caller.device.id)
        guard memberships.contains(where: { $0.space == request.space }) else {
            throw StoreError.notFound
        }
        guard request.cursor.epoch == store.epoch else {
            throw Problem(.cursorReset, "the cursor belongs to another epoch")
        }
        if request.rebuilds {
            if let seconds = pace.secondsTooEarly(toRebuild: request.space) {
                throw Problem.rateLimited(seconds)
            }
            await views.rebuild(request.space)
        }
        let position = request.cursor.position
        let sums = await readingView {
            try await views.sums(of: request.space, request.scope, at: position)
        }
        guard let sums else {
            throw Problem(.unavailable, "the server's view is not at this position")
        }
        return HTTPResponse(cbor: AuditReply(position: position, sums: sums).encoded)
    }

    /// Returns nil for a view that cannot be read; it is rebuilt on the next call.
    func readingView<Value>(_ read: () async throws -> Value?) async -> Value? {
        do {
            return try await read()
        } catch {
            metrics.increase(.viewFailures)
            return nil
        }
    }
}
