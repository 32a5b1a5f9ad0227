import Foundation
import SyncCore
import Testing

@testable import SyncServer

/// Each limit of a request, at it and one past it; those of a sync are in ``SyncRouteTests``.
@Suite struct LimitTests {
    @Test(arguments: AccessTests.rows) func `a body has so many bytes`(
        row: AccessTests.Row
    ) async throws {
        let bed = try await RouteBed()
        let operation = try #require(
            bed.server.service.operations.first { $0.route.name == row.route }
        )
        let byteLimit = operation.description.takes?.byteLimit ?? 0
        for (count, fits) in [(byteLimit, true), (byteLimit + 1, false)] {
            var request = row.request(bed)
            request.body += [UInt8](repeating: UInt8(ascii: " "), count: count - request.body.count)
            let response = try await bed.respond(to: request, from: bed.author)
            #expect(response.isProblem(.tooLarge) == !fits)
            // White space around JSON says nothing; after anything else it is wrong.
            guard fits, case .json = operation.description.takes?.content else { continue }
            #expect(response.status == row.own)
        }
    }

    private func status(of body: String, at path: String) async throws -> Int {
        let bed = try await RouteBed()
        let request = HTTPRequest(
            "POST",
            path.replacing("{space}", with: "\(bed.author.space)"),
            body: Array(body.utf8)
        )
        return try await bed.respond(to: request, from: bed.author).status
    }

    @Test(arguments: [
        (0, 401), (200, 401), (201, 400),
    ])
    func `the name of a device has so many bytes`(count: Int, status expected: Int) async throws {
        // The token is no link's, which is found out after the form is.
        let key = Base64.url.encode([UInt8](repeating: 1, count: 32))
        for name in [
            String(repeating: "n", count: count), String(repeating: "é", count: count / 2),
        ]
        where name.utf8.count == count {
            let body = """
                {"token":"\(key)","device":"\(Identifier(number: 77))","name":"\(name)",\
                "key":"\(key)"}
                """
            #expect(try await status(of: body, at: "/v1/enrol") == expected)
        }
    }

    @Test(arguments: [
        (0, 68, 400), (1, 68, 201), (604_800, 68, 201), (604_801, 68, 400), (-1, 68, 400),
        (600, 67, 400), (600, 69, 400),
    ])
    func `an invitation is good for seven days and has one key`(
        seconds: Int,
        keyBytes: Int,
        status expected: Int
    ) async throws {
        let token = Base64.url.encode(Digest(of: [1]).bytes)
        let key = Base64.url.encode([UInt8](repeating: 0, count: keyBytes))
        let body = """
            {"kind":"device","tokenHash":"\(token)","wrappedKey":"\(key)","validSeconds":\(seconds)}
            """
        #expect(try await status(of: body, at: "/v1/spaces/{space}/invitations") == expected)
    }

    @Test(arguments: [(0, 200), (1000, 200), (1001, 413)])
    func `so many hashes are in one question`(count: Int, status expected: Int) async throws {
        let hashes = [String](repeating: "\"\(Digest(of: [1]))\"", count: count)
        let body = "[\(hashes.joined(separator: ", "))]"
        #expect(body.utf8.count <= RequestLimits.wantedBytes)
        #expect(try await status(of: body, at: "/v1/spaces/{space}/chunks/wanted") == expected)
    }

    @Test func `every limit is advertised by its constant`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/")
        let table = try String(
            contentsOf: sources.appending(path: "SyncServer/Routes/RequestLimits.swift"),
            encoding: .utf8
        )
        var constants: [Substring] = []
        for file in [
            "SyncServer/Routes/RequestLimits.swift", "SyncServer/HTTP/Limits.swift",
            "SyncCore/ChangeSet/Limits.swift",
        ] {
            let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
            constants += text.matches(of: /(?:let|var) (\w+)(?:: Int)? = (?!\[)/).map(\.output.1)
        }
        #expect(constants.count >= 22)
        // The listener's limit of a body is that of a request, as the next test has it.
        for constant in constants where constant != "bodyBytes" {
            #expect(table.contains(": \(constant),"), "\(constant) is not advertised")
        }
    }

    @Test func `what is advertised is what is enforced`() throws {
        let limits = try TestServer().service.limits
        let tables = [
            SyncCore.Limits.advertised, RequestLimits.advertised, SyncServer.Limits.advertised,
        ]
        #expect(limits.count == tables.reduce(0) { $0 + $1.count }, "a name is taken twice")
        let units = [
            "bytes", "seconds", "cells", "depth", "samples", "sets", "chunks", "hashes", "spaces",
        ]
        #expect(limits.keys.allSatisfy { name in units.contains { name.hasSuffix($0) } })
        #expect(SyncServer.Limits.bodyBytes == limits["request_bytes"])
    }
}
