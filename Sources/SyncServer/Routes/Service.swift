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
            throw Problem(.unavailable, "the disk is full: writes fail, reads still work")
        } catch {
            throw Problem(.unavailable, "the server cannot store anything; its log has details")
        }
    }
}
