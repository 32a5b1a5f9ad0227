/// The parameters of a request signature (RFC 9421, `hmac-sha256`).
///
/// The signature has the label `wake` and covers method, authority, path, query and the digest of
/// the body (RFC 9530). Readers accept only this form:
/// ```
/// content-digest: sha-256=:…:
/// signature-input: wake=("@method" "@authority" "@path" "@query" "content-digest")
///     ;created=1618884473;nonce="…";keyid="…";alg="hmac-sha256";tag="wake"
/// signature: wake=:…:
/// ```
package struct RequestSignature: Hashable, Sendable {
    /// The signer's clock in seconds since 1970-01-01T00:00:00Z.
    package let createdSeconds: Int64
    /// A nonce that distinguishes requests of the same second: 1 to 64 characters of
    /// ``isWord(_:)``.
    package let nonce: String
    /// The id of the key: 1 to 64 characters of ``isWord(_:)``.
    package let keyIdentifier: String

    /// The largest accepted difference between the clocks of signer and server, in seconds.
    package static let windowSeconds: Int64 = 300

    /// The largest integer of a structured field (RFC 8941, section 3.3.1).
    private static let lastSecond: Int64 = 999_999_999_999_999

    static let components = ["@method", "@authority", "@path", "@query", "content-digest"]

    /// Creates the parameters of a signature to be made.
    package init(createdSeconds: Int64, nonce: String, keyIdentifier: String) {
        precondition(createdSeconds >= 0, "signatures are younger than 1970")
        precondition(Self.isWord(nonce) && Self.isWord(keyIdentifier), "not letters and digits")
        self.createdSeconds = createdSeconds
        self.nonce = nonce
        self.keyIdentifier = keyIdentifier
    }

    /// Whether `text` is 1 to 64 ASCII letters, digits, hyphens or underscores, as base64url and
    /// base32 are.
    static func isWord(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }

    var base: SignatureBase {
        SignatureBase(
            components: Self.components,
            parameters: ";created=\(createdSeconds);nonce=\"\(nonce)\";keyid=\"\(keyIdentifier)\""
                + ";alg=\"hmac-sha256\";tag=\"wake\""
        )
    }

    /// Parses a `signature-input`; nil if it deviates from the accepted form.
    init?(input: String) {
        let parts = input.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 6,
            let created = Int64(Self.inside("created=", parts[1], "")),
            (0...Self.lastSecond).contains(created),
            case let nonce = Self.inside("nonce=\"", parts[2], "\""), Self.isWord(nonce),
            case let key = Self.inside("keyid=\"", parts[3], "\""), Self.isWord(key)
        else { return nil }
        self.init(createdSeconds: created, nonce: String(nonce), keyIdentifier: String(key))
        // Rejects every other spelling, such as leading zeros or another order.
        guard input == "wake=" + base.input else { return nil }
    }

    /// Returns the text between a prefix and a suffix, or an empty text if either is missing.
    static func inside(_ start: String, _ text: Substring, _ end: String) -> Substring {
        guard text.hasPrefix(start), text.hasSuffix(end),
            text.utf8.count >= start.utf8.count + end.utf8.count
        else { return "" }
        return text.dropFirst(start.count).dropLast(end.count)
    }
}

extension HTTPResponse {
    /// The field with a challenge for the next request.
    package static let challengeField = "wake-challenge"
}

extension HTTPRequest {
    /// Adds the digest of the body and the signature.
    ///
    /// Call it after all other changes to the request, and again with a new nonce for each attempt.
    package mutating func sign(_ signature: RequestSignature, authority: String, key: MACKey) {
        headers["content-digest"] = body.contentDigest
        guard let bytes = signature.base.bytes(of: self, authority: authority) else {
            preconditionFailure("the digest was just set")
        }
        headers["signature-input"] = "wake=" + signature.base.input
        headers["signature"] = "wake=:" + Base64.standard.encode(key.tag(of: bytes)) + ":"
    }
}

extension [UInt8] {
    /// The value of `content-digest` (RFC 9530) for these bytes, with SHA-256.
    var contentDigest: String {
        "sha-256=:" + Base64.standard.encode(Digest(of: self).bytes) + ":"
    }
}

/// A request with a parsed signature that is not verified yet.
package struct SignedRequest: Sendable {
    /// The unverified parameters of the signature, which name the key to verify it with.
    package let signature: RequestSignature
    private let request: HTTPRequest
    private let tag: [UInt8]

    /// Parses the signature of a request.
    ///
    /// Throws ``SignatureError/missing`` or ``SignatureError/malformed``.
    package init(parsing request: HTTPRequest) throws(SignatureError) {
        guard let input = request.headers["signature-input"],
            let value = request.headers["signature"],
            request.headers["content-digest"] != nil
        else { throw .missing }
        guard let signature = RequestSignature(input: input),
            let tag = Base64.standard.decode(RequestSignature.inside("wake=:", value[...], ":")),
            tag.count == 32
        else { throw .malformed }
        self.signature = signature
        self.request = request
        self.tag = tag
    }

    /// Verifies the signature, then the clock, then the body.
    ///
    /// `authority` comes from the configuration, never from the request.
    package func verified(
        by key: MACKey,
        authority: String,
        nowSeconds: Int64
    ) throws(SignatureError) -> VerifiedRequest {
        try verifyHead(by: key, authority: authority, nowSeconds: nowSeconds)
        guard request.headers["content-digest"] == request.body.contentDigest else {
            throw .badDigest
        }
        return VerifiedRequest(request: request, signature: signature)
    }

    /// Verifies the signature and the clock, but not the body.
    ///
    /// The signature covers the digest of the body. So the server authenticates the sender before
    /// it has received the body.
    package func verifyHead(
        by key: MACKey,
        authority: String,
        nowSeconds: Int64
    ) throws(SignatureError) {
        guard let bytes = signature.base.bytes(of: request, authority: authority),
            key.verifies(tag, of: bytes)
        else { throw .badSignature }
        let created = signature.createdSeconds
        let (age, isFar) = nowSeconds.subtractingReportingOverflow(created)
        guard !isFar, age.magnitude <= RequestSignature.windowSeconds else {
            throw .skewed(createdSeconds: created)
        }
    }
}

/// Why the signature of a request is rejected.
package enum SignatureError: Error, Equatable {
    /// One of the three header fields is missing.
    case missing
    /// A field is not of the accepted form.
    case malformed
    /// The signature was made with another key, for another server or for another request.
    case badSignature
    /// The signature and the clock are valid, but the body does not match the signed digest.
    case badDigest
    /// The signature is valid, but the signer's clock is outside the window, or the request was
    /// replayed.
    case skewed(createdSeconds: Int64)
}

/// A request whose signature, clock and body are verified.
///
/// Only ``SignedRequest/verified(by:authority:nowSeconds:)`` creates one.
package struct VerifiedRequest: Sendable {
    package let request: HTTPRequest
    /// The verified parameters: key id, time, and the nonce for calls that must not be repeated.
    package let signature: RequestSignature

    fileprivate init(request: HTTPRequest, signature: RequestSignature) {
        self.request = request
        self.signature = signature
    }
}
