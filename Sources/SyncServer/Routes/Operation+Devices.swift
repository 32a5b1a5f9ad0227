internal import SyncCore

extension Operation {
    /// Answers a request of an authenticated device.
    typealias DeviceHandler =
        @concurrent @Sendable (RequestContext, Caller) async throws -> HTTPResponse

    /// Creates a route that needs no signature of an enrolled device.
    init(
        _ method: String,
        _ path: String,
        name: String,
        _ description: Description,
        handler: @escaping Route.Handler
    ) {
        self.init(
            method,
            path,
            name: name,
            description,
            isOpen: !description.isProven,
            admit: { _ in },
            handler: Self.describingErrors(of: handler)
        )
    }

    /// Creates a route that only enrolled devices may call, with a signature.
    init(
        _ method: String,
        _ path: String,
        name: String,
        _ description: Description,
        for authenticator: Authenticator,
        handler: @escaping DeviceHandler
    ) {
        self.init(
            method,
            path,
            name: name,
            description,
            isOpen: false,
            admit: { try await authenticator.admit($0) },
            handler: Self.describingErrors { context in
                let caller =
                    description.isOnce
                    ? try await authenticator.callerOnce(of: context)
                    : try await authenticator.caller(of: context)
                return try await handler(context, caller)
            }
        )
    }

    /// Wraps a handler so that it turns errors of the store into problems.
    private static func describingErrors(of handler: @escaping Route.Handler) -> Route.Handler {
        { context in
            do {
                return try await handler(context)
            } catch {
                throw Problem.describing(error)
            }
        }
    }
}
