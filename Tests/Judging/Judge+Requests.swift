import SyncCore

extension Judge {
    /// The text that a signature of any components covers, and its tag.
    static func signatureBase(_ vector: Vector) throws -> Judgement {
        let base = SignatureBase(
            components: try vector.required("component").split(separator: " ").map(String.init),
            parameters: try vector.required("parameters")
        )
        let authority = try vector.required("authority")
        guard let bytes = base.bytes(of: try httpRequest(vector), authority: authority) else {
            return Judgement(refused: "missing")
        }
        let tag = MACKey(try vector.bytes("key")).tag(of: bytes)
        var judgement = Judgement()
        judgement.findings = [
            "base": String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                .map { .text(String($0)) },
            "signature": [.text(Base64.standard.encode(tag))],
        ]
        return judgement
    }

    /// A request as the server checks it.
    static func request(_ vector: Vector) throws -> Judgement {
        let signed = try SignedRequest(parsing: try httpRequest(vector))
        let verified = try signed.verified(
            by: MACKey(try vector.bytes("key")),
            authority: try vector.required("authority"),
            nowSeconds: try vector.integer("now")
        )
        var judgement = Judgement()
        judgement.findings = [
            "created": [.text("\(verified.signature.createdSeconds)")],
            "nonce": [.text(verified.signature.nonce)],
            "keyid": [.text(verified.signature.keyIdentifier)],
        ]
        return judgement
    }

    private static func httpRequest(_ vector: Vector) throws -> HTTPRequest {
        var request = HTTPRequest(try vector.required("method"), try vector.required("path"))
        request.query = vector.text("query")
        for header in vector.texts("header") {
            let name = String(header.prefix { $0 != ":" })
            var value = header.dropFirst(name.count + 1)
            if value.first == " " { value.removeFirst() }
            request.headers[name] = request.headers[name].map { "\($0), \(value)" } ?? String(value)
        }
        request.body = vector.text("body") == nil ? [] : try vector.bytes("body")
        return request
    }
}
