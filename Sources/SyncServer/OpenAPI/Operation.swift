internal import SyncCore

/// A row of the routing table: a route and its description in `openapi.json`.
///
/// Only operations can enter the table, so a route without a description does not compile. A
/// request reaches the handler only after it was checked against the description.
struct Operation: Sendable {
    let route: Route
    let description: Description
    /// Whether it accepts unsigned requests.
    let isOpen: Bool

    /// Creates a row whose handler gets only requests that match the description.
    ///
    /// `admit` checks the head of a request before a large body is received.
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
    /// The parameter names in the path, in order.
    var parameters: [String] {
        route.path.split(separator: "/").filter { $0.hasPrefix("{") }
            .map { String($0.dropFirst().dropLast()) }
    }

    /// All problems that it can reply with.
    var problems: Set<ProblemType> {
        var problems = description.problems.union([
            .badEncoding, .tooLarge, .headTooLarge, .unsupportedEncoding, .rateLimited, .internal,
            .unavailable,
        ])
        if !parameters.isEmpty { problems.insert(.notFound) }
        // The first signature of a device is recorded in the store.
        if !isOpen { problems.formUnion([.unauthorized, .clockSkew, .storageFull]) }
        return problems
    }
}
