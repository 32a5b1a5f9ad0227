import Foundation
@testable import SyncCore
import Testing

@testable import SyncServer

@Suite struct SecrecyTests {
    private static let canary = "canary7tweets"

    /// A request to a route with the canary in each place that is the client's.
    private func request(to route: Route) -> HTTPRequest {
        let path = route.path.split(separator: "/").map { segment in
            segment.hasPrefix("{") ? Self.canary : String(segment)
        }
        let body = #"{"token":"\#(Self.canary)","name":"\#(Self.canary)"}"#
        var request = HTTPRequest(
            route.method,
            "/" + path.joined(separator: "/"),
            headers: [
                "content-type": "application/json", "user-agent": Self.canary,
                "authorization": "Bearer " + Self.canary, "x-forwarded-for": Self.canary,
            ],
            body: Array(body.utf8)
        )
        request.query = "token=" + Self.canary
        return request
    }

    @Test func `what a client says is in no line of the log, no metric and no refusal`()
        async throws
    {
        let bed = try await RouteBed()
        let service = bed.server.service
        let lines = Locked<[String]>([])
        let logs = [AccessLog.Format.text, .json].map { format in
            AccessLog(format: format, now: { .init(milliseconds: 0) }) { line in
                lines.withLock { $0.append(line) }
            }
        }
        let router = Router(
            routes: service.routes,
            uptime: { .zero },
            makeID: { "id" },
            observe: { record in
                for log in logs { log(record) }
                service.metrics(record)
            },
            metrics: service.metrics
        )
        for route in service.routes {
            let request = request(to: route)
            let signed = try bed.author.signed(request, at: bed.server.clock.wall)
            for asked in [request, signed] {
                let response = await router.respond(to: asked)
                #expect(!response.text.contains(Self.canary), "\(route.name): \(response.text)")
                for (name, value) in response.headers {
                    #expect(!value.contains(Self.canary), "\(route.name): \(name)")
                }
            }
            _ = router.refuse(request, RequestError.malformed("test"))
        }
        let written = lines.withLock { $0 }
        #expect(written.count == service.routes.count * 6)
        #expect(written.filter { $0.contains(Self.canary) } == [])
        #expect(!service.metrics.exposition.contains(Self.canary))
    }
}
