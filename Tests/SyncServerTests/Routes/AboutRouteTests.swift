import ProgramKit
import SyncCore
import Testing

@testable import SyncServer

/// What a server says of itself.
@Suite struct AboutRouteTests {
    @Test func `anyone is told versions, formats, features, limits, name and time`() async throws {
        let server = try TestServer()
        let response = await server.router.respond(to: HTTPRequest("GET", "/.well-known/wake"))
        #expect(response.headers["cache-control"] == "public, max-age=300")
        let limits = JSON.encode(server.service.advertisedLimits)
        #expect(
            response.text == """
                {"authority":"test:1","features":["sync","chunks","devices"],"formats":[1],\
                "limits":\(String(decoding: limits, as: UTF8.self)),"time":1777000000000,\
                "versions":["v1"]}
                """
        )
    }

    @Test func `the limits of the format are those of the protocol`() {
        #expect(
            SyncCore.Limits.advertised == [
                "body_bytes": 1_048_576, "body_depth": 3, "cells": 32_768, "chunk_bytes": 262_144,
                "chunk_samples": 4096, "decoded_body_bytes": 1_048_576,
                "decoded_chunk_bytes": 1_048_576, "header_bytes": 4096, "request_bytes": 8_388_608,
                "request_decoded_chunk_bytes": 67_108_864, "request_entries": 64,
                "request_sets": 1000,
                "set_chunk_bytes": 4_194_304, "set_chunks": 64,
                "signature_window_seconds": 300, "text_bytes": 16384,
            ]
        )
        #expect(
            RequestLimits.advertised == [
                "audit_bytes": 32768, "control_bytes": 4096, "enrol_bytes": 1_048_576,
                "enrol_proofs": 4, "entries_bytes": 4096, "invitation_seconds": 604_800,
                "name_bytes": 200,
                "page_bytes": 2_097_152, "request_spaces": 64,
                "vector_replicas": 10_000,
                "wanted_bytes": 80_000,
                "wanted_hashes": 1000,
            ]
        )
    }
}
