import SyncCore
import Testing

@testable import SyncServer

/// A fault that is none of the client's business.
private struct Fault: Error {}

@Suite struct RouterTests {
    private let records = Locked<[RequestRecord]>([])

    /// Each call of the clock is 250 ms later than the one before.
    private var router: Router {
        let ticks = Locked(0)
        let records = records
        return Router(
            routes: [
                Route("GET", "/v1/spaces", name: "spaces") { _ in HTTPResponse(200, body: [1, 2]) },
                Route("POST", "/v1/spaces", name: "post") {
                    HTTPResponse(201, body: $0.request.body)
                },
                Route("GET", "/v1/spaces/{space}/chunks/{hash}", name: "chunk.get") { context in
                    context.note(device: Identifier(number: 1))
                    return HTTPResponse(200, body: Array((context["space"] + context["hash"]).utf8))
                },
                Route("GET", "/v1/spaces/{space}/chunks/wanted", name: "shadowed") { _ in
                    HTTPResponse(204)
                },
                Route("POST", "/v1/words/wanted", name: "literal") { _ in HTTPResponse(200) },
                Route("PUT", "/v1/words/{word}", name: "word") { _ in HTTPResponse(200) },
                Route("DELETE", "/fault", name: "fault") { _ in throw Fault() },
                Route("GET", "/problem", name: "problem") { _ in
                    throw Problem(
                        .sequenceGap,
                        "7 was expected",
                        members: ["expected_sequence": .number(7), "status": .text("forged")]
                    )
                },
            ],
            uptime: {
                .milliseconds(
                    250
                        * ticks.withLock {
                            $0 += 1; return $0
                        }
                )
            },
            makeID: { "id" },
            observe: { record in records.withLock { $0.append(record) } }
        )
    }

    private func text(_ response: HTTPResponse) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    @Test func `a path finds its route and its parameters`() async {
        let response = await router.respond(to: HTTPRequest("GET", "/v1/spaces/s1/chunks/h%2F2"))
        #expect(response.status == 200)
        #expect(response.headers["x-request-id"] == "id")
        #expect(text(response) == "s1h%2F2")
    }

    @Test func `the first route that fits answers`() async {
        let response = await router.respond(to: HTTPRequest("GET", "/v1/spaces/s1/chunks/wanted"))
        #expect(text(response) == "s1wanted")
    }

    @Test func `a path belongs to the first row that has it, whatever the method`() async {
        #expect(await router.respond(to: HTTPRequest("PUT", "/v1/words/other")).status == 200)
        let response = await router.respond(to: HTTPRequest("PUT", "/v1/words/wanted"))
        #expect(response.status == 405 && response.headers["allow"] == "POST")
    }

    @Test(arguments: [
        "", "/", "/v1", "/v1/spaces/", "//v1/spaces", "/v1/spaces/s1", "/v1/spaces//chunks/h",
        "/v1/spaces/s1/chunks/", "/v1/spaces/s1/chunks/h/", "/v1/Spaces",
    ])
    func `any other path is not found`(path: String) async {
        let response = await router.respond(to: HTTPRequest("GET", path))
        #expect(response.status == 404)
        #expect(response.headers["content-type"] == "application/problem+json")
        #expect(
            text(response) == """
                {"detail":"no such path","instance":"id","status":404,\
                "title":"Not found","type":"not-found"}
                """
        )
    }

    @Test(arguments: ["PUT", "DELETE"]) func `another method is told which ones there are`(
        method: String
    ) async {
        let response = await router.respond(to: HTTPRequest(method, "/v1/spaces"))
        #expect(response.status == 405)
        #expect(response.headers["allow"] == "GET, HEAD, POST")
    }

    @Test func `HEAD is answered by GET`() async {
        let response = await router.respond(to: HTTPRequest("HEAD", "/v1/spaces"))
        #expect(response.status == 200)
        #expect(records.withLock { $0.last?.bytesOut } == 0)
        #expect(await router.respond(to: HTTPRequest("HEAD", "/fault")).status == 405)
    }

    @Test func `a problem becomes a reply that its extra members cannot forge`() async {
        let response = await router.respond(to: HTTPRequest("GET", "/problem"))
        #expect(response.status == 409)
        #expect(
            text(response) == """
                {"detail":"7 was expected","expected_sequence":7,"instance":"id","status":409,\
                "title":"An earlier change set is missing","type":"sequence-gap"}
                """
        )
    }

    @Test(arguments: ProblemType.allCases) func `no cache keeps a problem, and 401 has a challenge`(
        type: ProblemType
    ) {
        let response = Problem(type, "").response(instance: "id")
        #expect(response.headers["cache-control"] == "no-store")
        let challenge = type.status == 401 ? "Signature" : nil
        #expect(response.headers["www-authenticate"] == challenge)
    }

    @Test func `any other error is told to the log alone`() async {
        let response = await router.respond(to: HTTPRequest("DELETE", "/fault"))
        #expect(response.status == 500)
        #expect(!text(response).contains("Fault"))
        #expect(records.withLock { $0.last?.fault } == "Fault()")
    }

    @Test func `every request is observed once`() async {
        let router = router
        _ = await router.respond(to: HTTPRequest("POST", "/v1/spaces", body: [1, 2, 3]))
        _ = await router.respond(to: HTTPRequest("GET", "/v1/spaces/s/chunks/h"))
        _ = await router.respond(to: HTTPRequest("GET", "/nowhere"))
        let seen = records.withLock { $0 }
        #expect(seen.map(\.route) == ["post", "chunk.get", "-"])
        #expect(seen.map(\.status) == [201, 200, 404])
        #expect(seen.map(\.bytesIn) == [3, 0, 0])
        #expect(seen.map(\.device) == [nil, "000000", nil])
        #expect(seen.allSatisfy { $0.duration == .milliseconds(250) })
    }
}

@Suite struct ProblemTypeTests {
    @Test func `the table is that of the protocol`() {
        let table = Dictionary(grouping: ProblemType.allCases, by: \.status)
            .mapValues { $0.map(\.rawValue).sorted() }
        #expect(
            table == [
                400: ["bad-encoding"], 401: ["clock-skew", "unauthorized"],
                403: ["bad-mac", "forbidden"], 404: ["not-found"], 405: ["method-not-allowed"],
                409: ["chunks-missing", "cursor-reset", "fork", "sequence-gap", "stale"],
                413: ["too-large"], 415: ["unsupported-encoding"], 416: ["range-not-satisfiable"],
                426: ["upgrade-required"], 431: ["head-too-large"],
                429: ["rate-limited"], 500: ["internal"], 503: ["unavailable"],
                507: ["storage-full"],
            ]
        )
    }

    @Test func `titles are sentences without a full stop`() {
        for type in ProblemType.allCases {
            #expect(type.title.first?.isUppercase == true && !type.title.hasSuffix("."))
        }
    }
}
