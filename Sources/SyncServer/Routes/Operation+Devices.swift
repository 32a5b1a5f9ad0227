internal import SyncCore

extension Operation {
    /// Creates a route that turns errors of the store into problems.
    ///
    /// `admit` is nil for a route that needs no signature of an enrolled device.
    init(
        _ method: String,
        _ path: String,
        name: String,
        _ description: Description,
        admit: Route.Admission? = nil,
        handler: @escaping Route.Handler
    ) {
        let isOpen = admit == nil
        self.init(
            method,
            path,
            name: name,
            description,
            isOpen: isOpen,
            admit: admit ?? { _ in }
        ) { context in
            do {
                return try await handler(context)
            } catch {
                throw Problem.describing(error)
            }
        }
    }
}

extension Reply {
    fileprivate func with(_ field: Field) -> Reply {
        var reply = self
        reply.fields.append(field)
        return reply
    }
}

extension Service {
    /// Answers a request of an authenticated device.
    typealias DeviceHandler =
        @concurrent @Sendable (RequestContext, Caller) async throws -> HTTPResponse

    /// Returns a route that only enrolled devices may call, with a signature.
    func signed(
        _ method: String,
        _ path: String,
        name: String,
        _ description: Description,
        handler: @escaping DeviceHandler
    ) -> Operation {
        let authenticator = authenticator
        var description = description
        description.gives = description.gives.map { $0.with(.challenge) }
        let admit: Route.Admission = { try await authenticator.admit($0) }
        return Operation(method, path, name: name, description, admit: admit) { context in
            let caller = try await authenticator.caller(of: context)
            var response = try await handler(context, caller)
            if Challenge.isChallenge(caller.request.signature.nonce) {
                response.headers[HTTPResponse.challengeField] = authenticator.newChallenge()
            }
            return response
        }
    }
}
