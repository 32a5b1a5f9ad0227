internal import ProgramKit
internal import SyncCore

/// What the routes work with: the store, its views, keys and clock.
struct Service: Sendable {
    let store: any Store
    let views: Views
    let keys: ServerKeys
    /// What devices call this server.
    let authority: @Sendable () -> String
    let now: @Sendable () -> UnixTime
    /// What clients may cost.
    let limits: Limits
    /// How often each device may come.
    let pace: DevicePace
    let metrics: Metrics
    /// Notes a revocation beside the database, so that an old copy of it brings nobody back.
    let noteRevocation: @Sendable (Identifier) throws -> Void
    let rebuilds = RebuildPace()

    var authenticator: Authenticator {
        Authenticator(store: store, keys: keys, authority: authority, now: now, pace: pace)
    }

    /// The one table of routes, each with its description.
    var operations: [Operation] {
        let others = workingOperations
        let document = OpenAPI(others + [descriptionRoute([])], limits: advertisedLimits)
        return others + [descriptionRoute(JSON.encode(document.json))]
    }

    /// The table without the route that describes it all, whose document takes time to make.
    var workingOperations: [Operation] {
        aboutRoutes + enrolmentRoutes + deviceRoutes + spaceRoutes + invitationRoutes
            + syncRoutes + reconcileRoutes + chunkRoutes + heldRoutes + auditRoutes
    }

    /// What the devices' listener answers.
    var routes: [Route] { operations.map(\.route) }

    /// The table of the listener for operators.
    ///
    /// It is not in `openapi.json`: no device can reach it, and what it says to a supervisor and a
    /// collector of metrics has the forms that those expect.
    var healthRoutes: [Route] {
        [
            Route("GET", "/healthz", name: "healthz") { _ in HTTPResponse(200, text: "alive\n") },
            Route("GET", "/readyz", name: "readyz") { _ in try await ready() },
            Route("GET", "/metrics", name: "metrics") { _ in
                HTTPResponse(200, text: metrics.exposition)
            },
        ]
    }

    /// Whether what devices send can be stored; reading goes on without.
    private func ready() async throws -> HTTPResponse {
        do {
            try await store.checkWritable(at: now())
            return HTTPResponse(200, text: "ready\n")
        } catch let error as DatabaseError where error.kind == .full {
            throw Problem(.unavailable, "the disk is full: nothing is stored, and reading goes on")
        } catch {
            throw Problem(.unavailable, "nothing can be stored; the server's log says more")
        }
    }
}

extension HTTPResponse {
    /// Plain text.
    init(_ status: Int, text: String) {
        self.init(
            status,
            headers: ["content-type": "text/plain; charset=utf-8"],
            body: Array(text.utf8)
        )
    }

    /// A JSON document, which no cache keeps.
    init(_ status: Int, json value: some Encodable) {
        self.init(
            status,
            headers: ["content-type": "application/json", "cache-control": "no-store"],
            body: JSON.encode(value)
        )
    }
}

extension RequestContext {
    /// An identifier in the path; what is none is as unknown as what is not there.
    func identifier(_ name: String) throws -> Identifier {
        guard let id = Identifier(exactly: self[name]) else {
            throw Problem(.notFound, "no such \(name)")
        }
        return id
    }

    /// A SHA-256 in the path.
    func digest(_ name: String) throws -> Digest {
        guard let digest = Digest(exactly: self[name]) else {
            throw Problem(.notFound, "no such \(name)")
        }
        return digest
    }
}

extension Problem {
    /// Puts an error of the store into the protocol's words; anything else stays what it is.
    static func describing(_ error: any Error) -> any Error {
        switch error {
        case StoreError.notFound: Problem(.notFound, "there is nothing here")
        case StoreError.forbidden: Problem(.forbidden, "the role does not allow this")
        case StoreError.badToken:
            Problem(.unauthorized, "the link is not known, was used, or has expired")
        case StoreError.withoutBody:
            Problem(.unavailable, "only the author's device has the body of this set; it brings it")
        case StoreError.deviceTaken:
            Problem(.fork, "this device is enrolled already: it is a copy, or was copied")
        case StoreError.deviceRevoked: Problem(.unauthorized, "this device was revoked")
        case StoreError.beyondHead(let head):
            Problem(
                .cursorReset,
                "the cursor lies beyond the log",
                members: ["head": .number(Int64(head))]
            )
        case let error as DatabaseError where error.kind == .full:
            Problem(.storageFull, "the server's disk is full; nothing was stored")
        case let error as DatabaseError where error.kind == .busy:
            Problem(.unavailable, "the server's database is locked")
        case let error as DatabaseError where [.failing, .readOnly].contains(error.kind):
            Problem(.unavailable, "the server cannot write")
        default: error
        }
    }
}
