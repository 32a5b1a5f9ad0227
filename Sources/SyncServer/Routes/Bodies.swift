internal import FoundationEssentials
internal import SyncCore

extension RequestContext {
    /// The body as a JSON document of one of the protocol's shapes, in UTF-8 (RFC 8259, section 8.1).
    func json<Document: Decodable>(_ type: Document.Type) throws -> Document {
        let notJSON = Problem(.badEncoding, "the body is not the JSON that belongs here")
        // No JSON in UTF-8 has a zero byte, and any in UTF-16 or UTF-32 does.
        guard !request.body.contains(0) else { throw notJSON }
        do {
            return try JSONDecoder().decode(type, from: Data(request.body))
        } catch {
            throw notJSON
        }
    }
}

extension Identifier {
    /// Reads what ``description`` wrote, and no other spelling of it.
    init?(exactly text: String) {
        guard let id = Identifier(text), id.description == text else { return nil }
        self = id
    }
}

extension Digest {
    /// Reads what ``description`` wrote, and no other spelling of it.
    init?(exactly text: String) {
        guard let digest = Digest(hexadecimal: text), digest.description == text else { return nil }
        self = digest
    }
}
