internal import SyncCore

extension Service {
    var auditRoutes: [Operation] {
        [
            Operation(
                "POST",
                "/v1/audit",
                name: "audit",
                Description(
                    summary: "Returns sums over the cells of a space, to locate differences",
                    takes: Body(content: .cbor, byteLimit: RequestLimits.auditBytes),
                    gives: [.with(.cbor)],
                    problems: [.notFound, .cursorReset]
                ),
                for: authenticator
            ) { context, caller in
                try await audit(try context.cbor(AuditRequest.init(decoding:)), caller)
            }
        ]
    }

    private func audit(_ request: AuditRequest, _ caller: Caller) async throws -> HTTPResponse {
        let memberships = try await store.spaces(of: caller.user)
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
        guard let sums = await sums(of: request.space, request.scope, at: position) else {
            throw Problem(.unavailable, "the server's view is not at this position")
        }
        return HTTPResponse(cbor: AuditReply(position: position, sums: sums).encoded)
    }

    /// Returns nil for a view that cannot be read; it is rebuilt on the next call.
    private func sums(
        of space: Identifier,
        _ scope: AuditScope,
        at position: UInt64
    ) async -> [AuditSum]? {
        do {
            return try await views.sums(of: space, scope, at: position)
        } catch {
            metrics.increase(.viewFailures)
            return nil
        }
    }
}
