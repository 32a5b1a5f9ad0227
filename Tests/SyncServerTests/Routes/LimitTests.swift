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

    @Test(arguments: [(0, 401), (200, 401), (201, 413)])
    func `the name of a device has so many bytes`(count: Int, status expected: Int) async throws {
        let bed = try await RouteBed()
        // The token is no link's, which is found out after the form is.
        for name in [
            String(repeating: "n", count: count), String(repeating: "é", count: count / 2),
        ]
        where name.utf8.count == count {
            var request = EnrolRequest()
            let random = [UInt8](repeating: 1, count: 8)
            request.challenge = Challenge(Author.serverKeys)
                .make(at: bed.server.clock.wall, random: random)
            request.token = [UInt8](repeating: 1, count: 32)
            request.name = name
            let message = HTTPRequest("POST", "/v1/enrol", body: request.encoded)
            #expect(try await bed.respond(to: message, from: bed.author).status == expected)
        }
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
        let files = try [
            "SyncServer/Routes/RequestLimits.swift", "SyncServer/HTTP/Limits.swift",
            "SyncCore/ChangeSet/Limits.swift",
        ].map { try String(contentsOf: sources.appending(path: $0), encoding: .utf8) }
        let constants = files.flatMap {
            $0.matches(of: /\n {4}(?:\w+ )*(?:let|var) (\w+) = (?!\[)/)
        }
        .map(\.output.1)
        let advertised = files.flatMap { $0.matches(of: /": (?:Int\()?(\w+)\)?,/) }
            .map(\.output.1)
        #expect(constants.count > 30)
        #expect(Set(constants).subtracting(advertised).isEmpty)
    }

    @Test func `no two limits have one name, and each has its unit`() throws {
        let service = try TestServer().service
        let tables = [
            SyncCore.Limits.advertised, RequestLimits.advertised, service.limits.advertised,
        ]
        #expect(service.advertisedLimits.count == tables.reduce(0) { $0 + $1.count })
        let units: Set<Substring> = [
            "bytes", "seconds", "second", "burst", "cells", "depth", "samples", "sets", "chunks",
            "hashes", "spaces", "replicas", "connections", "address", "handlers", "proofs",
            "entries",
        ]
        for name in service.advertisedLimits.keys {
            #expect(name.split(separator: "_").last.map(units.contains) == true, "\(name)")
        }
    }
}
