internal import ProgramKit
internal import SyncCore

/// The dependencies of the routes: the store, its views, keys and clock.
struct Service: Sendable {
    let store: any Store
    let views: Views
    let keys: ServerKeys
    /// The host and port by which devices address this server.
    let authority: @Sendable () -> String
    let now: @Sendable () -> UnixTime
    let limits: Limits
    /// The rate limits of devices.
    let pace: DevicePace
    let metrics: Metrics
    /// Records a revocation in a file beside the database, so that it survives a restore.
    let noteRevocation: @Sendable (Identifier) throws -> Void
    let newIdentifier: @Sendable () -> Identifier

    var authenticator: Authenticator {
        Authenticator(
            store: store,
            keys: keys,
            authority: authority,
            now: now,
            pace: pace,
            newIdentifier: newIdentifier
        )
    }

    /// The routing table, with the description of each route.
    var operations: [Operation] {
        let others = workingOperations
        let document = OpenAPI(others + [descriptionRoute([])], limits: advertisedLimits)
        return others + [descriptionRoute(JSON.encode(document.json))]
    }

    /// The table without the OpenAPI route, whose document is slow to make.
    var workingOperations: [Operation] {
        aboutRoutes + enrolmentRoutes + deviceRoutes + spaceRoutes + syncRoutes
            + entriesRoutes + reconcileRoutes + chunkRoutes + heldRoutes + auditRoutes
    }

    /// The routes of the listener for devices.
    var routes: [Route] { operations.map(\.route) }

    /// The routes of the listener for operators.
    ///
    /// They are not in `openapi.json`: devices cannot reach them, and their formats are those that
    /// supervisors and Prometheus expect.
    var healthRoutes: [Route] {
        [
            Route("GET", "/healthz", name: "healthz") { _ in HTTPResponse(200, text: "alive\n") },
            Route("GET", "/readyz", name: "readyz") { _ in try await ready() },
            Route("GET", "/metrics", name: "metrics") { _ in
                HTTPResponse(200, text: metrics.exposition)
            },
        ]
    }

    /// Checks that the server can store changes; reading does not depend on it.
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
