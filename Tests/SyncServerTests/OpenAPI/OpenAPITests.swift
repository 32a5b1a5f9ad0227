import ProgramKit
import SyncCore
import Testing

@testable import SyncServer

/// The table of routes and `openapi.json` say the same.
@Suite struct OpenAPITests {
    private let service: Service
    private let document: JSONValue

    init() throws {
        service = try TestServer().service
        document = DescribedReplies(service).document
    }

    /// Method and path of every operation in the document.
    private var described: [String: JSONValue] {
        var described: [String: JSONValue] = [:]
        for (path, item) in document["paths"]?.members ?? [:] {
            for (method, operation) in item.members where method != "parameters" {
                described["\(method.uppercased()) \(path)"] = operation
            }
        }
        return described
    }

    @Test func `the document has the routes of the table and no others`() {
        let rows = service.routes.flatMap { route in
            (route.method == "GET" ? ["GET", "HEAD"] : [route.method]).map { "\($0) \(route.path)" }
        }
        #expect(described.keys.sorted() == rows.sorted())
    }

    @Test func `operations have the names of their routes`() {
        for route in service.routes {
            let operation = described["\(route.method) \(route.path)"]
            #expect(operation?["operationId"] == .text(route.name))
        }
    }

    @Test func `every parameter of a path is described`() {
        for route in service.routes {
            let names = route.path.split(separator: "/").filter { $0.hasPrefix("{") }
            let parameters = document["paths"]?[route.path]?["parameters"]?.elements ?? []
            #expect(
                parameters.map { $0["name"] }
                    == names.map { .text(String($0.dropFirst().dropLast())) }
            )
            #expect(parameters.allSatisfy { $0["schema"]?["pattern"] != nil })
        }
    }

    @Test func `whoever need not sign is told so`() {
        let open = described.filter { $0.value["security"]?.elements.isEmpty == true }
        #expect(
            open.keys.sorted() == [
                "GET /.well-known/wake", "GET /v1/openapi.json", "HEAD /.well-known/wake",
                "HEAD /v1/openapi.json", "POST /v1/enrol",
            ]
        )
    }

    @Test func `every type of problem is named`() {
        let types = document["components"]?["schemas"]?["Problem"]?["properties"]?["type"]?["enum"]
        #expect(types == .texts(ProblemType.allCases.map(\.rawValue)))
    }

    @Test func `every reference leads somewhere`() {
        var references = 0
        func visit(_ value: JSONValue) {
            if value["$ref"] != nil {
                references += 1
                #expect(document.resolving(value) != nil, "\(value)")
            }
            value.members.values.forEach(visit)
            value.elements.forEach(visit)
        }
        visit(document)
        #expect(references > 100)
    }

    @Test func `the server serves it with a tag`() async throws {
        let bed = try await RouteBed()
        let request = HTTPRequest("GET", "/v1/openapi.json")
        let response = await bed.server.router.respond(to: request)
        #expect(response.status == 200 && response.body == JSON.encode(document))
        let tag = try #require(response.headers["etag"])
        let again = HTTPRequest("GET", request.path, headers: ["if-none-match": tag])
        #expect(await bed.server.router.respond(to: again).status == 304)
    }
}

/// What a description says of requests holds for all of them.
@Suite struct AdmissionTests {
    static let rows = AccessTests.rows.filter { !["about", "description"].contains($0.route) }

    @Test(arguments: AccessTests.rows) func `no path takes a query`(
        row: AccessTests.Row
    ) async throws {
        let bed = try await RouteBed()
        var request = row.request(bed)
        request.query = "a=b"
        #expect(try await bed.respond(to: request, from: bed.author).isProblem(.badEncoding))
        request.query = ""
        #expect(try await bed.respond(to: request, from: bed.author).status == row.own)
    }

    @Test(arguments: AccessTests.rows) func `a body is of the type that belongs there`(
        row: AccessTests.Row
    ) async throws {
        let bed = try await RouteBed()
        let operation = bed.server.service.operations.first { $0.route.name == row.route }
        guard let takes = operation?.description.takes else { return }
        for (field, fits) in [
            (takes.content.mediaType, true), (takes.content.mediaType.uppercased(), true),
            (takes.content.mediaType + " ; charset=utf-8", true), ("", false),
            ("application/x-www-form-urlencoded", false), (takes.content.mediaType + "x", false),
        ] {
            var request = row.request(bed)
            request.headers["content-type"] = field
            let response = try await bed.respond(to: request, from: bed.author)
            #expect(response.isProblem(.unsupportedEncoding) == !fits, "\(field)")
            #expect(fits || response.headers["accept"] == takes.content.mediaType)
        }
    }

    @Test(arguments: AccessTests.rows) func `a body comes as it is`(
        row: AccessTests.Row
    ) async throws {
        let bed = try await RouteBed()
        for (coding, fits) in [("identity", true), ("gzip", false), ("zstd, identity", false)] {
            var request = row.request(bed)
            request.headers["content-encoding"] = coding
            let response = try await bed.respond(to: request, from: bed.author)
            #expect(response.isProblem(.unsupportedEncoding) == !fits)
            #expect(fits || response.headers["accept-encoding"] == "identity")
        }
    }

    @Test(arguments: ["OPTIONS", "TRACE", "PATCH", "CONNECT", "get"])
    func `another method is told which ones there are`(method: String) async throws {
        let bed = try await RouteBed()
        for (path, allow) in [
            ("/v1/enrol", "POST"), ("/v1/devices", "GET, HEAD"),
            ("/v1/spaces/\(bed.author.space)/chunks/\(bed.chunk.hash)", "GET, HEAD, PUT"),
        ] {
            let response = await bed.server.router.respond(to: HTTPRequest(method, path))
            #expect(response.isProblem(.methodNotAllowed))
            #expect(response.headers["allow"] == allow)
        }
    }

    @Test func `JSON is UTF-8, whole, and of the right shape`() async throws {
        let bed = try await RouteBed()
        let row = try #require(AccessTests.rows.first { $0.route == "chunk.wanted" })
        let request = row.request(bed)
        let text = request.text
        let wide = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
        for body in [wide, Array((text + "x").utf8), Array("{\"a\":\(text)}".utf8), [0xff]] {
            var request = request
            request.body = body
            #expect(try await bed.respond(to: request, from: bed.author).isProblem(.badEncoding))
        }
        #expect(try await bed.respond(to: request, from: bed.author).status == row.own)
    }
}

extension HTTPRequest {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}
