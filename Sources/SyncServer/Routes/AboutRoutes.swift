internal import SyncCore

extension Service {
    var aboutRoutes: [Operation] {
        [
            Operation(
                "GET",
                "/.well-known/wake",
                name: "about",
                Description(
                    summary: "Returns the server's versions, limits, address and time",
                    gives: [.with(.json(About.schema), [.cacheControl])]
                )
            ) { _ in
                var response = HTTPResponse(
                    200,
                    json: About(
                        limits: advertisedLimits,
                        authority: authority(),
                        time: now().milliseconds
                    )
                )
                response.headers["cache-control"] = "public, max-age=300"
                return response
            }
        ]
    }

    /// Returns the route of the OpenAPI document.
    func descriptionRoute(_ document: [UInt8]) -> Operation {
        let representation = Representation(
            mediaType: "application/json",
            tag: Digest(of: document).description,
            cacheControl: "public, max-age=300",
            bytes: document
        )
        return Operation(
            "GET",
            "/v1/openapi.json",
            name: "description",
            Description(
                summary: "Returns this description of the interface, in OpenAPI 3.1",
                fields: Representation.requestFields,
                gives: Representation.replies(.json(.anyObject)),
                problems: Representation.problems
            )
        ) { context in try representation.response(to: context.request) }
    }

    /// All limits by name; names end in the unit.
    var advertisedLimits: [String: Int] {
        SyncCore.Limits.advertised.merging(RequestLimits.advertised) { $1 }
            .merging(limits.advertised) { $1 }
    }
}

/// The public description of a server.
private struct About: Encodable {
    let versions = ["v1"]
    let formats = [Header.format]
    let features = ["sync", "chunks", "devices"]
    let limits: [String: Int]
    let authority: String
    let time: Int64

    static let schema = Schema.object([
        "versions": .list(of: .text), "formats": .list(of: .count), "features": .list(of: .text),
        "limits": .table(of: .count), "authority": .text, "time": .time,
    ]).named("About")
}
