import SyncCore
import Testing

@testable import SyncServer

/// Chunks by themselves.
@Suite struct ChunkRouteTests {
    private func path(_ bed: RouteBed, _ hash: Digest? = nil) -> String {
        "/v1/spaces/\(bed.author.space)/chunks/\(hash ?? bed.chunk.hash)"
    }

    @Test func `a chunk is immutable and named by its hash`() async throws {
        let bed = try await RouteBed()
        for method in ["GET", "HEAD"] {
            let response = try await bed.respond(
                to: HTTPRequest(method, path(bed)),
                from: bed.author
            )
            #expect(response.status == 200)
            #expect(response.body == bed.chunk.bytes)
            #expect(response.headers["etag"] == "\"\(bed.chunk.hash)\"")
            #expect(response.headers["cache-control"]?.contains("immutable") == true)
        }
        let other = try await bed.respond(
            to: HTTPRequest("GET", path(bed, .zero)),
            from: bed.author
        )
        #expect(other.isProblem(.notFound))
    }

    @Test func `a range is a part of the chunk`() async throws {
        let bed = try await RouteBed()
        let bytes = bed.chunk.bytes
        let end = bytes.count - 1
        for (range, bounds) in [
            ("bytes=0-0", 0...0), ("bytes=2-4", 2...4), ("bytes=5-", 5...end),
            ("bytes=0-\(Int.max)", 0...end), ("bytes=\(end)-\(end)", end...end),
            ("bytes=-1", end...end), ("bytes=-\(Int.max)", 0...end), ("bytes=-3", (end - 2)...end),
            ("bytes=1-99999999999999999999", 1...end),
        ] {
            let response = try await bed.respond(
                to: HTTPRequest("GET", path(bed), headers: ["range": range]),
                from: bed.author
            )
            #expect(response.status == 206)
            #expect(response.body == Array(bytes[bounds]))
            let expected = "bytes \(bounds.lowerBound)-\(bounds.upperBound)/\(bytes.count)"
            #expect(response.headers["content-range"] == expected)
        }
    }

    @Test(arguments: ["bytes=9999999-", "bytes=-0", "bytes=99999999999999999999-"])
    func `a range beyond the chunk is told how long it is`(range: String) async throws {
        let bed = try await RouteBed()
        let request = HTTPRequest("GET", path(bed), headers: ["range": range])
        let response = try await bed.respond(to: request, from: bed.author)
        #expect(response.isProblem(.rangeNotSatisfiable))
        #expect(response.headers["content-range"] == "bytes */\(bed.chunk.bytes.count)")
    }

    @Test(
        arguments: [
            "bytes=4-2", "bytes=-1-2", "bytes=a-b", "bytes=0-1,2-3", "lines=0-1", "bytes=", "",
            "bytes=-", "bytes=+1-2", "bytes",
        ]
    )
    func `what is no single range of bytes is ignored`(range: String) async throws {
        let bed = try await RouteBed()
        let request = HTTPRequest("GET", path(bed), headers: ["range": range])
        let response = try await bed.respond(to: request, from: bed.author)
        #expect(response.status == 200 && response.body == bed.chunk.bytes)
    }

    @Test func `a part is only given of what was asked for, and only to GET`() async throws {
        let bed = try await RouteBed()
        for (method, tag, status) in [
            ("GET", "\"\(bed.chunk.hash)\"", 206), ("GET", "\"other\"", 200),
            ("GET", "W/\"\(bed.chunk.hash)\"", 200), ("HEAD", "\"\(bed.chunk.hash)\"", 200),
        ] {
            let fields = ["range": "bytes=1-2", "if-range": tag]
            let request = HTTPRequest(method, path(bed), headers: fields)
            #expect(try await bed.respond(to: request, from: bed.author).status == status)
        }
    }

    @Test func `what a device has already is not sent again`() async throws {
        let bed = try await RouteBed()
        let tag = "\"\(bed.chunk.hash)\""
        for (list, status) in [
            (tag, 304), ("W/" + tag, 304), ("*", 304), ("\"other\" , \(tag)", 304),
            ("\"other\"", 200), ("\(bed.chunk.hash)", 200), ("", 200),
        ] {
            for method in ["GET", "HEAD"] {
                let fields = ["if-none-match": list, "range": "bytes=9999999-"]
                let range = method == "HEAD" || status == 304 ? fields : ["if-none-match": list]
                let request = HTTPRequest(method, path(bed), headers: range)
                let response = try await bed.respond(to: request, from: bed.author)
                #expect(response.status == status, "\(method) \(list)")
                #expect(response.headers["etag"] == tag)
                #expect(status == 200 || response.body.isEmpty)
            }
        }
        let unknown = HTTPRequest("GET", path(bed, .zero), headers: ["if-none-match": "*"])
        #expect(try await bed.respond(to: unknown, from: bed.author).isProblem(.notFound))
    }

    @Test func `bytes that are not the chunk of that name are refused`() async throws {
        let bed = try await RouteBed()
        let (chunk, noise) = (Author.chunk(7), [UInt8](repeating: 3, count: 100))
        let bodies: [(Digest, [UInt8], ProblemType)] = [
            (chunk.hash, noise, .badEncoding), (chunk.hash, [], .badEncoding),
            (Digest(of: noise), noise, .badEncoding),
            (
                Digest(of: [UInt8](repeating: 0, count: Chunk.byteLimit + 1)),
                [UInt8](repeating: 0, count: Chunk.byteLimit + 1), .tooLarge
            ),
        ]
        for (hash, body, type) in bodies {
            let response = try await bed.respond(
                to: HTTPRequest("PUT", path(bed, hash), body: body),
                from: bed.author
            )
            #expect(response.isProblem(type))
            let get = try await bed.respond(
                to: HTTPRequest("GET", path(bed, hash)),
                from: bed.author
            )
            #expect(get.isProblem(.notFound))
        }
    }

    @Test func `a device asks which chunks are lacking`() async throws {
        let bed = try await RouteBed()
        let missing = Digest(of: [1])
        func ask(_ body: String) async throws -> HTTPResponse {
            try await bed.respond(
                to: HTTPRequest(
                    "POST",
                    "/v1/spaces/\(bed.author.space)/chunks/wanted",
                    body: Array(body.utf8)
                ),
                from: bed.author
            )
        }
        #expect(try await ask("[\"\(bed.chunk.hash)\",\"\(missing)\"]").text == "[\"\(missing)\"]")
        for body in ["[\"x\"]", "[\"\("\(missing)".uppercased())\"]", "{}", "", "[1]"] {
            #expect(try await ask(body).isProblem(.badEncoding))
        }
    }
}
