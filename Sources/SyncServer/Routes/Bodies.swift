internal import FoundationEssentials
internal import SyncCore

extension RequestContext {
    /// Decodes the body as a JSON message of the protocol, in UTF-8 (RFC 8259 §8.1).
    func json<Document: Decodable>(_ type: Document.Type) throws -> Document {
        // JSONDecoder also accepts UTF-16 and UTF-32, whose JSON always has zero bytes; UTF-8 has
        // none.
        let notJSON = Problem(.badEncoding, "the body is not the JSON expected here")
        guard !request.body.contains(0) else { throw notJSON }
        do {
            return try JSONDecoder().decode(type, from: Data(request.body))
        } catch {
            throw notJSON
        }
    }
}

extension RequestContext {
    /// Decodes the body as a CBOR message of the protocol.
    func cbor<Message>(_ read: ([UInt8]) throws(CBORError) -> Message) throws -> Message {
        do {
            return try read(request.body)
        } catch {
            throw Problem(.badEncoding, "the body is not the CBOR expected here: \(error)")
        }
    }
}

extension HTTPResponse {
    /// Creates a reply with a CBOR message that must not be cached.
    init(cbor body: [UInt8]) {
        self.init(
            200,
            headers: ["content-type": MediaType.cbor, "cache-control": "no-store"],
            body: body
        )
    }
}
