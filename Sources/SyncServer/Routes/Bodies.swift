internal import FoundationEssentials
internal import SyncCore

extension RequestContext {
    /// The body as a JSON document of one of the protocol's shapes, in UTF-8 (RFC 8259, section 8.1).
    func json<Document: Decodable>(_ type: Document.Type) throws -> Document {
        let notJSON = Problem(.badEncoding, "the body is not the JSON expected here")
        // No JSON in UTF-8 has a zero byte, and any in UTF-16 or UTF-32 does.
        guard !request.body.contains(0) else { throw notJSON }
        do {
            return try JSONDecoder().decode(type, from: Data(request.body))
        } catch {
            throw notJSON
        }
    }
}

extension RequestContext {
    /// The body as one of the protocol's messages in CBOR.
    func cbor<Message>(_ read: ([UInt8]) throws(CBORError) -> Message) throws -> Message {
        do {
            return try read(request.body)
        } catch {
            throw Problem(.badEncoding, "the body is not the CBOR expected here: \(error)")
        }
    }
}

extension HTTPResponse {
    /// A message in CBOR, which no cache keeps.
    init(cbor body: [UInt8]) {
        self.init(
            200,
            headers: ["content-type": "application/cbor", "cache-control": "no-store"],
            body: body
        )
    }
}
