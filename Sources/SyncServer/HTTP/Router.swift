internal import SyncCore

/// One row of the routing table.
struct Route: Sendable {
    /// Answers a request; ``Router/respond(to:)`` turns its errors into problems.
    typealias Handler = @concurrent @Sendable (RequestContext) async throws -> HTTPResponse

    /// `GET`, `POST`, `PUT` or `DELETE`; a `GET` also answers `HEAD`, unless `HEAD` has its own
    /// row.
    let method: String
    /// The path, such as `/v1/spaces/{space}`; a segment in braces is a parameter.
    let path: String
    /// The route's name in the log and the metrics, such as `chunk.get`.
    let name: String
    let bodyByteLimit: Int
    /// Checks the head of a request before a large body is received.
    let admit: Admission
    let handler: Handler
    private let pattern: [Substring]

    /// Checks by its head whether a request may continue; throws a ``Problem``.
    typealias Admission = @concurrent @Sendable (HTTPRequest) async throws -> Void

    /// The limit for a JSON document.
    static let documentByteLimit = 16 << 10

    init(
        _ method: String,
        _ path: String,
        name: String,
        body: (byteLimit: Int, admit: Admission) = (documentByteLimit, { _ in }),
        handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        pattern = Self.segments(of: path)
        self.name = name
        (bodyByteLimit, admit) = body
        self.handler = handler
    }

    /// Returns the parameters of a path, or nil if the path is not this route's.
    ///
    /// A parameter is never empty and not percent-decoded: no name in the protocol needs it.
    func parameters(of path: String) -> [String: String]? {
        parameters(of: Self.segments(of: path))
    }

    /// Returns the parameters of a split path, or nil if it is not this route's.
    func parameters(of segments: [Substring]) -> [String: String]? {
        guard pattern.count == segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (expected, segment) in zip(pattern, segments) where expected != segment {
            guard expected.first == "{", expected.last == "}", !segment.isEmpty else { return nil }
            parameters[String(expected.dropFirst().dropLast())] = String(segment)
        }
        return parameters
    }
}

extension Route {
    /// The most slashes at which a path is split; no route has as many segments.
    private static let segmentLimit = 16

    /// Splits a path at slashes; the last segment of a longer path holds the rest.
    static func segments(of path: String) -> [Substring] {
        path.split(separator: "/", maxSplits: segmentLimit, omittingEmptySubsequences: false)
    }
}

/// A request with the parameters of its route.
struct RequestContext: Sendable {
    /// The request as it arrived, unchecked.
    let request: HTTPRequest
    /// The request's id, which is also in the log.
    let id: String
    /// The path segment for each `{name}` of the route's path.
    let parameters: [String: String]
    fileprivate let device: Locked<String?>

    /// Returns the parameter of a name that is in the route's path.
    subscript(name: String) -> String {
        guard let value = parameters[name] else { preconditionFailure("no {\(name)} in the path") }
        return value
    }

    /// Records which device sent the request, for the log: the first six characters of its id.
    func note(device: Identifier) {
        let prefix = String(device.description.prefix(6))
        self.device.withLock { $0 = prefix }
    }
}

/// The data about an answered request.
struct RequestRecord: Hashable, Sendable {
    let id: String
    /// The name of the route, or `-` if there is none.
    let route: String
    let status: Int
    var bytesIn = 0
    let bytesOut: Int
    var duration = Duration.zero
    /// The first six characters of the device's id; nil for an unauthenticated request.
    var device: String?
    /// The internal error behind a 500, which the client does not see.
    let fault: String?
}

/// Finds the route of a request, and turns results and errors into replies.
struct Router: Sendable {
    /// The first matching path wins, whatever its method.
    let routes: [Route]
    /// A monotonic clock.
    let uptime: @Sendable () -> Duration
    let makeID: @Sendable () -> String
    /// Called once per request; must be fast.
    let observe: @Sendable (RequestRecord) -> Void
    var metrics = Metrics()

    @concurrent func respond(to request: HTTPRequest) async -> HTTPResponse {
        let start = uptime()
        let id = makeID()
        let device = Locked<String?>(nil)
        let outcome = await outcome(of: request, id: id, device: device)
        observe(
            RequestRecord(
                id: id,
                route: outcome.route,
                status: outcome.response.status,
                bytesIn: request.body.count,
                bytesOut: request.method == "HEAD" ? 0 : outcome.response.body.count,
                duration: uptime() - start,
                device: device.withLock { $0 },
                fault: outcome.fault
            )
        )
        return outcome.response
    }

    /// Calls the route's handler; the only place where errors become replies.
    private func outcome(
        of request: HTTPRequest,
        id: String,
        device: Locked<String?>
    ) async -> (route: String, response: HTTPResponse, fault: String?) {
        var name = "-"
        do {
            let (route, parameters) = try route(of: request)
            name = route.name
            guard request.body.count <= route.bodyByteLimit else {
                throw Problem(describing: .bodyTooLarge(byteLimit: route.bodyByteLimit))
            }
            var response = try await route.handler(
                RequestContext(request: request, id: id, parameters: parameters, device: device)
            )
            response.headers["x-request-id"] = id
            // A chunk is known by its hash.
            let isChunk = response.headers["content-type"] == MediaType.bytes
            return (name, isChunk || response.body.isEmpty ? response : response.digested, nil)
        } catch {
            let (problem, fault) = Problem.told(of: error)
            return (name, problem.response(instance: id), fault)
        }
    }

    private func route(
        of request: HTTPRequest
    ) throws(Problem) -> (route: Route, parameters: [String: String]) {
        let segments = Route.segments(of: request.path)
        let fits = routes.compactMap { route in
            route.parameters(of: segments).map { (route: route, parameters: $0) }
        }
        let candidates = fits.filter { $0.route.path == fits[0].route.path }
        let isHead = request.method == "HEAD"
        if let match = candidates.first(where: { $0.route.method == request.method })
            ?? candidates.first(where: { isHead && $0.route.method == "GET" })
        {
            return match
        }
        guard !candidates.isEmpty else { throw Problem(.notFound, "no such path") }
        var methods = Set(candidates.map(\.route.method))
        if methods.contains("GET") { methods.insert("HEAD") }
        throw Problem(
            .methodNotAllowed,
            "\(request.method) is not supported for this path",
            headers: ["allow": methods.sorted().joined(separator: ", ")]
        )
    }
}

extension Router: Responder {
    func bodyByteLimit(of head: HTTPRequest) -> Int {
        let found = try? route(of: head)
        return found?.route.bodyByteLimit ?? Route.documentByteLimit
    }

    @concurrent func admit(_ head: HTTPRequest) async throws {
        try await route(of: head).route.admit(head)
    }

    func refuse(_ head: HTTPRequest?, _ error: any Error) -> HTTPResponse {
        let id = makeID()
        let (problem, fault) = Problem.told(of: error)
        let response = problem.response(instance: id)
        let found = head.flatMap { try? route(of: $0) }
        observe(
            RequestRecord(
                id: id,
                route: found?.route.name ?? "-",
                status: response.status,
                bytesOut: response.body.count,
                fault: fault
            )
        )
        return response
    }

    func note(_ cut: Cut, at listener: String) {
        metrics.increase(.cuts, ["listener": listener, "reason": cut.rawValue])
    }

    func note(connectionCount: Int, at listener: String) {
        metrics.set(Double(connectionCount), of: .connections, ["listener": listener])
    }
}
