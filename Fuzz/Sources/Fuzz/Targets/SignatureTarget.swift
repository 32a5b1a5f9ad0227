import SyncCore

/// Signed requests: six lines `signature-input`, `signature`, `content-digest`, method, path, query,
/// then the body.
///
/// The fields are read as they come; then the same request is signed as it should be, so that what
/// stands behind the MAC is reached.
enum SignatureTarget {
    private static let authority = "wake.example:8300"
    private static let created: Int64 = 1_618_884_473
    private static let secret = [UInt8](repeating: 7, count: 32)

    static func check(_ input: [UInt8]) {
        let parts = input.split(
            separator: 0x0a,
            maxSplits: 6,
            omittingEmptySubsequences: false
        )
        guard parts.count == 7 else { return }
        let lines = parts.prefix(6).map { String(decoding: $0, as: UTF8.self) }
        var request = HTTPRequest(lines[3], lines[4], body: Array(parts[6]))
        request.query = lines[5].isEmpty ? nil : lines[5]
        checkOwn(request)
        request.headers = [
            "signature-input": lines[0], "signature": lines[1], "content-digest": lines[2],
        ]
        checkForeign(request)
    }

    private static func checkForeign(_ request: HTTPRequest) {
        guard let signed = try? SignedRequest(parsing: request) else { return }
        var copy = request
        copy.sign(signed.signature, authority: authority, key: MACKey(secret))
        precondition(
            copy.headers["signature-input"] == request.headers["signature-input"],
            "a signature has one form"
        )
        let verified = try? signed.verified(
            by: MACKey(secret),
            authority: authority,
            nowSeconds: signed.signature.createdSeconds
        )
        precondition((verified != nil) == (copy == request), "only what we signed is ours")
    }

    private static func checkOwn(_ request: HTTPRequest) {
        let signature = RequestSignature(
            createdSeconds: created,
            nonce: "b3k2pp5k7z",
            keyIdentifier: "01hzy3x6bq9v7m5n0k2j4g8f1d"
        )
        var signed = request
        signed.sign(signature, authority: authority, key: MACKey(secret))
        precondition(verifies(signed), "what was signed verifies")
        var other = signed
        other.body.append(0)
        precondition(!verifies(other), "the body is signed")
        other = signed
        other.path += "x"
        precondition(!verifies(other), "the path is signed")
    }

    private static func verifies(_ request: HTTPRequest) -> Bool {
        guard let signed = try? SignedRequest(parsing: request) else { return false }
        let verified = try? signed.verified(
            by: MACKey(secret),
            authority: authority,
            nowSeconds: created
        )
        return verified != nil
    }
}
