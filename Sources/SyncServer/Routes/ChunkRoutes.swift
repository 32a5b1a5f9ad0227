internal import SyncCore

extension Service {
    var chunkRoutes: [Operation] { [wantedRoute, putChunkRoute, chunkRoute] }

    private var wantedRoute: Operation {
        let hashes = Schema.list(of: .hash, limit: RequestLimits.wantedHashes)
        return signed(
            "POST",
            "/v1/spaces/{space}/chunks/wanted",
            name: "chunk.wanted",
            Description(
                summary: "Returns which of these chunks the space lacks",
                takes: Body(content: .json(hashes), byteLimit: RequestLimits.wantedBytes),
                gives: [.with(.json(hashes))]
            )
        ) { context, caller in
            let space = try context.identifier("space")
            let hashes = try context.json([String].self).map(Digest.init(exactly:))
            guard hashes.count <= RequestLimits.wantedHashes else {
                throw Problem(
                    .tooLarge,
                    "a request may have at most \(RequestLimits.wantedHashes) hashes"
                )
            }
            guard !hashes.contains(nil) else {
                throw Problem(.badEncoding, "the body is not a list of hashes in hexadecimal")
            }
            let lacking = try await store.lacking(
                hashes.compactMap { $0 },
                in: space,
                for: caller.device.id
            )
            return HTTPResponse(200, json: lacking.map(\.description))
        }
    }

    private var putChunkRoute: Operation {
        signed(
            "PUT",
            "/v1/spaces/{space}/chunks/{hash}",
            name: "chunk.put",
            Description(
                summary: "Stores a chunk, named by its SHA-256; idempotent",
                takes: Body(content: .bytes, byteLimit: Chunk.byteLimit),
                gives: [.done],
                problems: [.forbidden]
            )
        ) { context, caller in
            let (space, hash) = try (context.identifier("space"), context.digest("hash"))
            let bytes = context.request.body
            guard Digest(of: bytes) == hash, (try? Chunk.content(of: bytes)) != nil else {
                throw Problem(.badEncoding, "the body is not the chunk that the path names")
            }
            try await store.putChunk(bytes, hash, in: space, for: caller.device.id)
            return HTTPResponse(204)
        }
    }

    private var chunkRoute: Operation {
        signed(
            "GET",
            "/v1/spaces/{space}/chunks/{hash}",
            name: "chunk.get",
            Description(
                summary: "Returns the bytes of a chunk, which never change",
                fields: Representation.requestFields,
                gives: Representation.replies(.bytes),
                problems: Representation.problems
            )
        ) { context, caller in
            let (space, hash) = try (context.identifier("space"), context.digest("hash"))
            let representation = Representation(
                mediaType: Content.bytes.mediaType,
                tag: hash.description,
                cacheControl: "private, max-age=31536000, immutable",
                bytes: try await bytes(of: hash, in: space, caller)
            )
            return try representation.response(to: context.request)
        }
    }

    /// Returns a chunk; a missing one becomes wanted, so that devices that have it upload it.
    private func bytes(
        of hash: Digest,
        in space: Identifier,
        _ caller: Caller
    ) async throws -> [UInt8] {
        do {
            return try await store.chunk(hash, in: space, for: caller.device.id)
        } catch StoreError.notFound {
            try await store.want(hash, in: space, for: caller.device.id)
            throw StoreError.notFound
        }
    }
}
