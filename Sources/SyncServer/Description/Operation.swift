internal import SyncCore

/// A row of the table of routes: the route, and what `openapi.json` says about it.
///
/// There is no other way into the table, so a route without a description does not compile, and
/// what a description says of requests holds before its handler is asked.
struct Operation: Sendable {
    /// Answers a request of a device that is known.
    typealias DeviceHandler =
        @concurrent @Sendable (RequestContext, Caller) async throws -> HTTPResponse

    let route: Route
    let description: Description
    /// Whether it answers requests that nobody signed.
    let isOpen: Bool

    /// A route for anyone.
    init(
        _ method: String,
        _ path: String,
        name: String,
        _ description: Description,
        handler: @escaping Route.Handler
    ) {
        self.init(method, path, name, description, nil, handler)
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
        self.init(method, path, name, description, authenticator) { context in
            let caller =
                description.isOnce
                ? try await authenticator.callerOnce(of: context)
                : try await authenticator.caller(of: context)
            return try await handler(context, caller)
        }
    }

    private init(
        _ method: String,
        _ path: String,
        _ name: String,
        _ description: Description,
        _ authenticator: Authenticator?,
        _ handler: @escaping Route.Handler
    ) {
        self.description = description
        isOpen = authenticator == nil && !description.isProven
        let admit: Route.Admission = { head in
            try description.admit(head)
            try await authenticator?.admit(head)
        }
        route = Route(
            method,
            path,
            name: name,
            body: (description.takes?.byteLimit ?? 0, admit)
        ) { context in
            try description.admit(context.request)
            do {
                return try await handler(context)
            } catch {
                throw Problem.describing(error)
            }
        }
    }
}

extension Operation {
    /// The names in the path, in their order.
    var parameters: [String] {
        route.path.split(separator: "/").filter { $0.hasPrefix("{") }
            .map { String($0.dropFirst().dropLast()) }
    }

    /// Everything that it can refuse with.
    var problems: Set<ProblemType> {
        var problems = description.problems.union([
            .badEncoding, .tooLarge, .headTooLarge, .unsupportedEncoding, .rateLimited, .internal,
            .unavailable,
        ])
        if !parameters.isEmpty { problems.insert(.notFound) }
        // The first signature of a device is noted in the store.
        if !isOpen { problems.formUnion([.unauthorized, .clockSkew, .storageFull]) }
        return problems
    }
}
