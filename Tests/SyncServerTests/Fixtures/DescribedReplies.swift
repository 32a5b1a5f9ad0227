import SyncCore
import Testing

@testable import SyncServer

extension JSONValue {
    /// A member of an object.
    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The members of an object, none of anything else.
    var members: [String: JSONValue] {
        guard case .object(let members) = self else { return [:] }
        return members
    }

    /// The elements of a list, none of anything else.
    var elements: [JSONValue] {
        guard case .list(let elements) = self else { return [] }
        return elements
    }

    /// What a `$ref` of this document stands for, and anything else itself.
    func resolving(_ value: JSONValue) -> JSONValue? {
        guard case .text(let reference) = value["$ref"] else { return value }
        return reference.split(separator: "/").dropFirst().reduce(self) { value, name in
            value?[String(name)]
        }
    }
}

/// Holds replies to what `openapi.json` says of their operations.
struct DescribedReplies {
    let document: JSONValue
    private let operations: [SyncServer.Operation]

    init(_ service: Service) {
        operations = service.operations
        document = OpenAPI(operations, limits: service.advertisedLimits).json
    }

    /// Records what is not as described.
    ///
    /// That is the status, the type of the content or of the problem, a field that is missing. A path
    /// without a route is nobody's.
    func check(_ response: HTTPResponse, to request: HTTPRequest) {
        let route = operations.first { $0.route.parameters(of: request.path) != nil }?.route
        let method = request.method.lowercased()
        guard let route, let operation = document["paths"]?[route.path]?[method] else { return }
        let name = "\(request.method) \(route.path) \(response.status)"
        let reply = operation["responses"]?[String(response.status)].flatMap(document.resolving)
        guard let reply else {
            Issue.record("\(name) is not in the document")
            return
        }
        let missing = (reply["headers"]?.members ?? [:])
            .filter { $0.value["required"] == true && response.headers[$0.key] == nil }
        #expect(missing.isEmpty, "\(name) lacks \(missing.keys)")
        guard request.method != "HEAD" else { return }
        let contents = reply["content"]?.members ?? [:]
        let mediaType = response.headers["content-type"]
        #expect(mediaType.map { contents[$0] != nil } ?? contents.isEmpty, "\(name): \(contents)")
        guard let schema = contents["application/problem+json"]?["schema"] else { return }
        let types = schema["allOf"]?.elements.last?["properties"]?["type"]?["enum"]?.elements ?? []
        #expect(
            types.contains { type in
                guard case .text(let type) = type else { return false }
                return response.text.contains("\"type\":\"\(type)\"")
            },
            "\(name): \(response.text)"
        )
    }
}
