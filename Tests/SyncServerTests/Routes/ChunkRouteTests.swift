import SyncCore
import Testing

@testable import SyncServer

/// Chunks by themselves, and what a server says of itself.
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

    @Test(
        arguments: [
            "bytes=9999999-", "bytes=4-2", "bytes=-1-2", "bytes=a-b", "bytes=0-1,2-3", "lines=0-1",
            "bytes=", "bytes=99999999999999999999-", "",
        ]
    )
    func `a range that cannot be given is refused`(range: String) async throws {
        let bed = try await RouteBed()
        let response = try await bed.respond(
            to: HTTPRequest("GET", path(bed), headers: ["range": range]),
            from: bed.author
        )
        #expect(response.isProblem(.badEncoding))
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
        let full = [String](repeating: "\"\(missing)\"", count: 1000).joined(separator: ",")
        #expect(try await ask("[\(full)]").status == 200)
        for body in ["[\(full),\"\(missing)\"]", "[\"x\"]", "{}", "", "[1]"] {
            #expect(try await ask(body).isProblem(.badEncoding))
        }
    }

    @Test func `the server says what the wire format says`() async throws {
        let bed = try await RouteBed()
        let response = await bed.server.router.respond(to: HTTPRequest("GET", "/.well-known/wake"))
        #expect(response.headers["cache-control"] == "public, max-age=300")
        #expect(
            response.text == """
                {"authority":"test:1","features":["sync","chunks","devices"],"formats":[1],\
                "limits":{"body_bytes":262144,"cells":4096,"chunk_bytes":262144,\
                "chunk_samples":4096,"decoded_body_bytes":1048576,"decoded_chunk_bytes":1048576,\
                "header_bytes":4096,"request_bytes":8388608,"request_sets":1000,\
                "text_bytes":16384},"time":1777000000000,"versions":["v1"]}
                """
        )
    }
}
