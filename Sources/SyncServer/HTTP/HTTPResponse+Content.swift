internal import ProgramKit
internal import SyncCore

extension HTTPResponse {
    init(_ status: Int, text: String) {
        self.init(
            status,
            headers: ["content-type": "text/plain; charset=utf-8"],
            body: Array(text.utf8)
        )
    }

    /// Creates a reply with a JSON document that must not be cached.
    init(_ status: Int, json value: some Encodable) {
        self.init(
            status,
            headers: ["content-type": "application/json", "cache-control": "no-store"],
            body: JSON.encode(value)
        )
    }
}
