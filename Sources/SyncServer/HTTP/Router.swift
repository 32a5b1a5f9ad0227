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
    /// The most bytes that a body may have here.
    let bodyByteLimit: Int
    /// Looks at the head of a request before a large body is taken.
    let admit: Admission
    let handler: Handler
    /// The segments of ``path``.
    private let pattern: [Substring]

    /// Whether a request may go on, by its head; throws a ``Problem``.
    typealias Admission = @concurrent @Sendable (HTTPRequest) async throws -> Void

    /// Enough for a document in JSON.
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

    /// The parameters of a path; nil where the path is not this route's.
    ///
    /// No segment is empty and none is decoded: our names need no percent sign.
    func parameters(of path: String) -> [String: String]? {
        parameters(of: Self.segments(of: path))
    }

    /// The same of the segments of a path.
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
    /// A path with more segments is nobody's.
    private static let segmentLimit = 16

    /// What stands between the slashes of a path; of too many, the last one has the rest.
    static func segments(of path: String) -> [Substring] {
        path.split(
            separator: "/",
            maxSplits: segmentLimit,
            omittingEmptySubsequences: false
        )
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
    private let metrics: Metrics

    /// A router for `routes`; the first path that fits is the request's, whatever its method.
    ///
    /// `uptime` is any clock that only goes forward; `observe` gets every request once and is quick.
    init(
        _ routes: [Route],
        uptime: @escaping @Sendable () -> Duration,
        makeID: @escaping @Sendable () -> String,
        observe: @escaping @Sendable (RequestRecord) -> Void,
        metrics: Metrics = Metrics()
    ) {
        self.routes = routes
        self.uptime = uptime
        self.makeID = makeID
        self.observe = observe
        self.metrics = metrics
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
            guard request.body.count <= route.bodyByteLimit else {
                throw Problem(describing: .bodyTooLarge(byteLimit: route.bodyByteLimit))
            }
            var response = try await route.handler(
                RequestContext(request: request, id: id, parameters: parameters, device: device)
            )
            response.headers["x-request-id"] = id
            return (name, response, nil)
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
                bytesIn: 0,
                bytesOut: response.body.count,
                duration: .zero,
                device: nil,
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
