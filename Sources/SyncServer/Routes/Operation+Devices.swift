internal import SyncCore

extension Operation {
    /// Answers a request of a device that is known.
    typealias DeviceHandler =
        @concurrent @Sendable (RequestContext, Caller) async throws -> HTTPResponse

    /// A route for anyone.
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

    /// A route for devices that sign.
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

    /// Puts errors of the store into the protocol's words.
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
