internal import SyncCore

/// A row of the table of routes: the route, and what `openapi.json` says about it.
///
/// There is no other way into the table, so a route without a description does not compile, and
/// what a description says of requests holds before its handler is asked.
struct Operation: Sendable {
    let route: Route
    let description: Description
    /// Whether it answers requests that nobody signed.
    let isOpen: Bool

    /// Makes a row whose handler sees what the description lets pass.
    ///
    /// `admit` looks at the head of a request before a large body is taken.
    init(
        _ method: String,
        _ path: String,
        name: String,
        _ description: Description,
        isOpen: Bool,
        admit: @escaping Route.Admission,
        handler: @escaping Route.Handler
    ) {
        self.description = description
        self.isOpen = isOpen
        let admitHead: Route.Admission = { head in
            try description.admit(head)
            try await admit(head)
        }
        route = Route(
            method,
            path,
            name: name,
            body: (description.takes?.byteLimit ?? 0, admitHead)
        ) { context in
            try description.admit(context.request)
            return try await handler(context)
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
