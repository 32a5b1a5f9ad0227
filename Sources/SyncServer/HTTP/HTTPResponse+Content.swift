internal import ProgramKit
internal import SyncCore

extension HTTPResponse {
    /// Plain text.
    init(_ status: Int, text: String) {
        self.init(
            status,
            headers: ["content-type": "text/plain; charset=utf-8"],
            body: Array(text.utf8)
        )
    }

    /// A JSON document, which no cache keeps.
    init(_ status: Int, json value: some Encodable) {
        self.init(
            status,
            headers: ["content-type": "application/json", "cache-control": "no-store"],
            body: JSON.encode(value)
        )
    }
}
