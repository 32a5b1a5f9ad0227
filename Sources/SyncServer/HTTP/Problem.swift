internal import FoundationEssentials
internal import ProgramKit
internal import SyncCore

/// An error reply (RFC 9457).
struct Problem: Error, Hashable {
    let type: ProblemType
    /// An explanation for a person; it contains no secrets and no internal state.
    let detail: String
    /// Data for the client, such as `expected_sequence`, `server_time` or `retry_after`.
    let members: [String: JSONValue]
    /// Header fields of the reply, such as `allow`.
    let headers: [String: String]

    /// Creates a problem; member names are lower case with underscores.
    init(
        _ type: ProblemType,
        _ detail: String,
        members: [String: JSONValue] = [:],
        headers: [String: String] = [:]
    ) {
        self.type = type
        self.detail = detail
        self.members = members
        self.headers = headers
    }

    /// Returns the problem for the client, and the text of an internal error for the log only.
    static func told(of error: any Error) -> (problem: Problem, fault: String?) {
        if let problem = error as? Problem { return (problem, nil) }
        return (
            Problem(.internal, "the server's log has details under this request id"), "\(error)"
        )
    }

    /// Returns the reply; `instance` is the request's id, which is also in the log.
    func response(instance: String) -> HTTPResponse {
        let own: [String: JSONValue] = [
            "type": .text(type.rawValue),
            "title": .text(type.title),
            "status": .number(Int64(type.status)),
            "detail": .text(detail),
            "instance": .text(instance),
        ]
        let all = members.merging(own) { _, own in own }
        var response = HTTPResponse(type.status, headers: headers, body: JSON.encode(all))
        response.headers["content-type"] = "application/problem+json"
        response.headers["x-request-id"] = instance
        // Caches may store some statuses by default (RFC 9111 §4.2.2); RFC 9110 wants a challenge
        // with 401.
        response.headers["cache-control"] = "no-store"
        if type.status == 401 { response.headers["www-authenticate"] = "Signature" }
        return response.digested
    }
}

/// The server's only JSON encoder settings: sorted keys, unescaped slashes.
extension JSON {
    /// Encodes a value, whose type must always be encodable.
    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return [UInt8](try encoder.encode(value))
        } catch {
            preconditionFailure("\(type(of: value)) cannot be encoded")
        }
    }
}
