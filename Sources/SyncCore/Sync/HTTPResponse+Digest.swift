/// The media types of requests and replies (RFC 9110, section 8.3).
package enum MediaType {
    /// Messages.
    package static let cbor = "application/cbor"
    /// The bytes of a chunk, known by their hash.
    package static let bytes = "application/octet-stream"
}

/// The digest of a reply's body (RFC 9530).
extension HTTPResponse {
    /// What a body is, compared with its digest.
    package enum Integrity: Equatable {
        case intact
        /// The bytes are not those that the digest is of.
        case damaged
        /// The digest is missing that every message has.
        ///
        /// Chunks need none, and the replies of a proxy have none.
        case undigested
    }

    package var integrity: Integrity {
        guard let digest = headers["content-digest"] else {
            return headers["content-type"] == MediaType.cbor ? .undigested : .intact
        }
        return digest == body.contentDigest ? .intact : .damaged
    }

    /// The same reply with the digest of its body.
    package var digested: HTTPResponse {
        var response = self
        response.headers["content-digest"] = body.contentDigest
        return response
    }
}
