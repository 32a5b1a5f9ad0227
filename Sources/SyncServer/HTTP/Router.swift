internal import SyncCore

/// One row of the table of routes.
struct Route: Sendable {
    /// Answers a request; what it throws becomes a problem in ``Router/respond(to:)``.
    typealias Handler = @concurrent @Sendable (RequestContext) async throws -> HTTPResponse

    /// `GET`, `POST`, `PUT`, `DELETE`; a `GET` answers `HEAD` too, unless `HEAD` has its own row.
    let method: String
    /// Such as `/v1/spaces/{space}`: a segment in braces is a parameter.
    let path: String
    /// Stands for the route in the log and the metrics, such as `chunk.get`.
    let name: String
    let handler: Handler

    init(_ method: String, _ path: String, name: String, handler: @escaping Handler) {
        self.method = method
        self.path = path
        self.name = name
        self.handler = handler
    }

    /// The parameters of a path; nil where the path is not this route's.
    ///
    /// No segment is empty and none is decoded: our names need no percent sign.
    func parameters(of path: String) -> [String: String]? {
        let pattern = self.path.split(separator: "/", omittingEmptySubsequences: false)
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard pattern.count == segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (expected, segment) in zip(pattern, segments) where expected != segment {
            guard expected.first == "{", expected.last == "}", !segment.isEmpty else { return nil }
            parameters[String(expected.dropFirst().dropLast())] = String(segment)
        }
        return parameters
    }
}

/// A request on its way through a route.
struct RequestContext: Sendable {
    /// The request as it arrived; nothing about it is checked.
    let request: HTTPRequest
    /// The id under which the log has it.
    let id: String
    /// What stands in the place of each `{name}` of the route's path.
    let parameters: [String: String]
    fileprivate let device: Locked<String?>

    /// The parameter of a name that is in the route's path.
    subscript(name: String) -> String {
        guard let value = parameters[name] else { preconditionFailure("no {\(name)} in the path") }
        return value
    }

    /// Says, once it is known, whose request this is: the log shows the first six characters.
    func note(device: Identifier) {
        let prefix = String(device.description.prefix(6))
        self.device.withLock { $0 = prefix }
    }
}

/// What is known of a request when its reply is made.
struct RequestRecord: Hashable, Sendable {
    let id: String
    /// The name of the route; `-` where there is none.
    let route: String
    let status: Int
    let bytesIn: Int
    let bytesOut: Int
    let duration: Duration
    /// The start of the device's name, nil for a stranger.
    let device: String?
    /// The error behind a 500, which the client does not see.
    let fault: String?
}

/// Finds the route of a request and makes a reply of whatever comes of it.
struct Router: Sendable {
    private let routes: [Route]
    private let uptime: @Sendable () -> Duration
    private let makeID: @Sendable () -> String
    private let observe: @Sendable (RequestRecord) -> Void

    /// A router for `routes`, of which the first that fits answers.
    ///
    /// `uptime` is any clock that only goes forward; `observe` gets every request once and is quick.
    init(
        _ routes: [Route],
        uptime: @escaping @Sendable () -> Duration,
        makeID: @escaping @Sendable () -> String,
        observe: @escaping @Sendable (RequestRecord) -> Void
    ) {
        self.routes = routes
        self.uptime = uptime
        self.makeID = makeID
        self.observe = observe
    }

    /// Answers one request.
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

    /// The one place where errors become replies.
    private func outcome(
        of request: HTTPRequest,
        id: String,
        device: Locked<String?>
    ) async -> (route: String, response: HTTPResponse, fault: String?) {
        var name = "-"
        do {
            let (route, parameters) = try route(of: request)
            name = route.name
            var response = try await route.handler(
                RequestContext(request: request, id: id, parameters: parameters, device: device)
            )
            response.headers["x-request-id"] = id
            return (name, response, nil)
        } catch let problem as Problem {
            return (name, problem.response(instance: id), nil)
        } catch {
            let problem = Problem(.internal, "the server's log says more under this id")
            return (name, problem.response(instance: id), "\(error)")
        }
    }

    private func route(
        of request: HTTPRequest
    ) throws(Problem) -> (route: Route, parameters: [String: String]) {
        let candidates = routes.compactMap { route in
            route.parameters(of: request.path).map { (route: route, parameters: $0) }
        }
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
            "\(request.method) is not supported here",
            headers: ["allow": methods.sorted().joined(separator: ", ")]
        )
    }
}
