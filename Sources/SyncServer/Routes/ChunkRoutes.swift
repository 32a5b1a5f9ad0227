internal import FoundationEssentials
internal import SyncCore

extension Service {
    /// So many hashes in one question.
    private static let wantedLimit = 1000
    /// A hash in JSON, with its quotes, a comma and white space.
    private static let hashByteCount = 80

    var chunkRoutes: [Route] {
        [
            Route(
                "POST",
                "/v1/spaces/{space}/chunks/wanted",
                name: "chunk.wanted",
                body: (Self.wantedLimit * Self.hashByteCount, authenticator.admit)
            ) { context in
                let caller = try await authenticator.caller(of: context)
                let space = try context.identifier("space")
                let hashes = try context.json([String].self).map(Digest.init(hexadecimal:))
                guard hashes.count <= Self.wantedLimit, !hashes.contains(nil) else {
                    throw Problem(.badEncoding, "not a list of at most 1,000 hashes")
                }
                let lacking = try await Problem.translating {
                    try await store.lacking(
                        hashes.compactMap { $0 },
                        in: space,
                        for: caller.user
                    )
                }
                return HTTPResponse(200, json: lacking.map(\.description))
            },
            Route(
                "PUT",
                "/v1/spaces/{space}/chunks/{hash}",
                name: "chunk.put",
                body: (Chunk.byteLimit, authenticator.admit)
            ) { context in
                let caller = try await authenticator.caller(of: context)
                return try await putChunk(context, caller)
            },
            Route("GET", "/v1/spaces/{space}/chunks/{hash}", name: "chunk.get") { context in
                let caller = try await authenticator.caller(of: context)
                return try await chunk(context, caller)
            },
        ]
    }

    private func putChunk(
        _ context: RequestContext,
        _ caller: Caller
    ) async throws -> HTTPResponse {
        let (space, hash) = try (context.identifier("space"), context.digest("hash"))
        let bytes = context.request.body
        guard Digest(of: bytes) == hash, (try? Chunk.unpack(bytes)) != nil else {
            throw Problem(.badEncoding, "the body is not the chunk of this name")
        }
        try await Problem.translating {
            try await store.putChunk(bytes, hash, in: space, for: caller.user)
        }
        return HTTPResponse(204)
    }

    private func chunk(
        _ context: RequestContext,
        _ caller: Caller
    ) async throws -> HTTPResponse {
        let (space, hash) = try (context.identifier("space"), context.digest("hash"))
        let bytes = try await Problem.translating {
            try await store.chunk(hash, in: space, for: caller.user)
        }
        let headers = [
            "content-type": "application/octet-stream",
            "etag": "\"\(hash)\"",
            "cache-control": "private, max-age=31536000, immutable",
            "accept-ranges": "bytes",
        ]
        guard let range = context.request.headers["range"] else {
            return HTTPResponse(200, headers: headers, body: bytes)
        }
        guard let part = ByteRange(range, of: bytes.count) else {
            throw Problem(.badEncoding, "the range is not within the chunk")
        }
        var response = HTTPResponse(206, headers: headers, body: Array(bytes[part.bounds]))
        response.headers["content-range"] =
            "bytes \(part.bounds.lowerBound)-\(part.bounds.upperBound - 1)/\(bytes.count)"
        return response
    }
}

/// One `bytes=first-last` range (RFC 9110, section 14.1.2), within the content.
struct ByteRange: Hashable {
    let bounds: Range<Int>

    init?(_ field: String, of count: Int) {
        guard field.hasPrefix("bytes=") else { return nil }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]), first >= 0, first < count else {
            return nil
        }
        let last = ends[1].isEmpty ? count - 1 : Int(ends[1])
        guard let last, last >= first else { return nil }
        bounds = first..<min(last, count - 1) + 1
    }
}
