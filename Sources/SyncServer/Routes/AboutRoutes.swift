internal import SyncCore

extension Service {
    var aboutRoutes: [Route] {
        [
            Route("GET", "/.well-known/wake", name: "about") { _ in
                var response = HTTPResponse(
                    200,
                    json: About(authority: authority(), time: now().milliseconds)
                )
                response.headers["cache-control"] = "public, max-age=300"
                return response
            }
        ]
    }
}

/// What a server says about itself to anyone.
private struct About: Encodable {
    let versions = ["v1"]
    let formats = [Header.format]
    let features = ["sync", "chunks", "devices"]
    let limits = [
        "header_bytes": SyncCore.Limits.headerByteLimit,
        "body_bytes": SyncCore.Limits.bodyByteLimit,
        "decoded_body_bytes": SyncCore.Limits.decodedBodyByteLimit,
        "cells": SyncCore.Limits.cellLimit,
        "text_bytes": SyncCore.Limits.textByteLimit,
        "chunk_samples": Chunk.sampleLimit,
        "chunk_bytes": Chunk.byteLimit,
        "decoded_chunk_bytes": Chunk.payloadLimit,
        "request_bytes": SyncCore.Limits.requestByteLimit,
        "request_sets": SyncCore.Limits.setLimit,
    ]
    let authority: String
    let time: Int64
}
