/// What a device says about its signature of one request.
///
/// A signature is RFC 9421 with `hmac-sha256` over method, authority, path, query and the digest of
/// the body (RFC 9530), under the label `wake`. There is one way to write it, and it alone is read:
/// ```
/// content-digest: sha-256=:…:
/// signature-input: wake=("@method" "@authority" "@path" "@query" "content-digest")
///     ;created=1618884473;nonce="…";keyid="…";alg="hmac-sha256";tag="wake"
/// signature: wake=:…:
/// ```
package struct RequestSignature: Hashable, Sendable {
    /// The signer's clock in seconds since 1970.
    package let createdSeconds: Int64
    /// Distinguishes two requests of one second; 1 to 64 characters of ``isWord(_:)``.
    package let nonce: String
    /// Names the key; 1 to 64 characters of ``isWord(_:)``.
    package let keyIdentifier: String

    /// How far the clock of a signer may be from the server's.
    package static let windowSeconds: Int64 = 300

    /// The greatest integer of a structured field (RFC 8941, section 3.3.1).
    private static let lastSecond: Int64 = 999_999_999_999_999

    static let components = ["@method", "@authority", "@path", "@query", "content-digest"]

    /// A signature still to be made.
    package init(createdSeconds: Int64, nonce: String, keyIdentifier: String) {
        precondition(createdSeconds >= 0, "signatures are younger than 1970")
        precondition(Self.isWord(nonce) && Self.isWord(keyIdentifier), "not letters and digits")
        self.createdSeconds = createdSeconds
        self.nonce = nonce
        self.keyIdentifier = keyIdentifier
    }

    /// Whether `text` is 1 to 64 letters, digits, hyphens and underscores: base64url or our base32.
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

    /// Reads a `signature-input`; nil for anything but the one form.
    init?(input: String) {
        let parts = input.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count == 6,
            let created = Int64(Self.inside("created=", parts[1], "")),
            (0...Self.lastSecond).contains(created),
            case let nonce = Self.inside("nonce=\"", parts[2], "\""), Self.isWord(nonce),
            case let key = Self.inside("keyid=\"", parts[3], "\""), Self.isWord(key)
        else { return nil }
        self.init(createdSeconds: created, nonce: String(nonce), keyIdentifier: String(key))
        // One writer, one reader: whatever else could differ is refused here.
        guard input == "wake=" + base.input else { return nil }
    }

    /// What stands between two ends; empty where they are not there.
    static func inside(_ start: String, _ text: Substring, _ end: String) -> Substring {
        guard text.hasPrefix(start), text.hasSuffix(end),
            text.utf8.count >= start.utf8.count + end.utf8.count
        else { return "" }
        return text.dropFirst(start.count).dropLast(end.count)
    }
}

extension HTTPRequest {
    /// Adds the digest of the body and the signature; sign last, and once more for a new attempt.
    package mutating func sign(_ signature: RequestSignature, authority: String, key: MACKey) {
        headers["content-digest"] = contentDigest
        guard let bytes = signature.base.bytes(of: self, authority: authority) else {
            preconditionFailure("the digest was just set")
        }
        headers["signature-input"] = "wake=" + signature.base.input
        headers["signature"] = "wake=:" + Base64.standard.encode(key.tag(of: bytes)) + ":"
    }

    /// The field value of RFC 9530 with SHA-256.
    fileprivate var contentDigest: String {
        "sha-256=:" + Base64.standard.encode(Digest(of: body).bytes) + ":"
    }
}

/// A request whose signature could be read but was not checked: it names the key to check it with.
package struct SignedRequest: Sendable {
    /// What the signature says about itself; not to be trusted yet.
    package let signature: RequestSignature
    private let request: HTTPRequest
    private let tag: [UInt8]

    /// Reads the signature of a request; throws ``SignatureError/missing`` or
    /// ``SignatureError/malformed``.
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

    /// Checks the signature, then the clock, then the body.
    ///
    /// `authority` comes from the configuration, never from the request.
    package func verified(
        by key: MACKey,
        authority: String,
        nowSeconds: Int64
    ) throws(SignatureError) -> VerifiedRequest {
        try verifyHead(by: key, authority: authority, nowSeconds: nowSeconds)
        guard request.headers["content-digest"] == request.contentDigest else { throw .badDigest }
        return VerifiedRequest(request: request, signature: signature)
    }

    /// Checks all but the body, whose digest is signed: before it has come it is known who sends
    /// it.
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

/// Why a request is not signed as it must be.
package enum SignatureError: Error, Equatable {
    /// One of the three fields is not there.
    case missing
    /// A field does not have the one form that we read.
    case malformed
    /// Made with another key, for another server or another request.
    case badSignature
    /// Signature and clock are right, and the body is not the signed one.
    case badDigest
    /// Signed by the right key with a clock too far from ours, or replayed later.
    case skewed(createdSeconds: Int64)
}

/// A request that the holder of a key made for this server a short while ago.
///
/// There is no other way to make one than ``SignedRequest/verified(by:authority:nowSeconds:)``.
package struct VerifiedRequest: Sendable {
    /// The request.
    package let request: HTTPRequest
    /// Who signed it, when, and the nonce for calls that must not be repeated.
    package let signature: RequestSignature

    fileprivate init(request: HTTPRequest, signature: RequestSignature) {
        self.request = request
        self.signature = signature
    }
}
