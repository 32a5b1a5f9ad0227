internal import FoundationEssentials
internal import ProgramKit
internal import SyncCore

/// A refusal that the client is told about (RFC 9457).
struct Problem: Error, Hashable {
    /// Which row of the table.
    let type: ProblemType
    /// What was wrong this time, for a person; never a secret, never the server's inner state.
    let detail: String
    /// Data for the client, such as `expected_sequence`, `server_time` or `retry_after`.
    let members: [String: JSONValue]
    /// Fields of the reply, such as `allow`.
    let headers: [String: String]

    /// A refusal; member names are lower case with underscores.
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

    /// What the client is told of an error, and what the log alone is told.
    static func told(of error: any Error) -> (problem: Problem, fault: String?) {
        if let problem = error as? Problem { return (problem, nil) }
        return (
            Problem(.internal, "the server's log has details under this request id"), "\(error)"
        )
    }

    /// The reply; `instance` is the request's id, which the log has too.
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
        // Some statuses are kept otherwise (RFC 9111, section 4.2.2), and 401 has a challenge.
        response.headers["cache-control"] = "no-store"
        if type.status == 401 { response.headers["www-authenticate"] = "Signature" }
        return response
    }
}

/// The one way in which the server writes JSON: sorted keys, slashes as they are.
extension JSON {
    /// The text of a value; the types that are given to it can always be encoded.
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
