import Testing

@testable import SyncCore

@Suite struct RequestSignatureTests {
    static let created: Int64 = 1_618_884_473
    static let authority = "sync.example:8443"
    static let secret = Array("a key of the device".utf8)

    /// Signed over everything that can be signed over.
    static func signed() -> HTTPRequest {
        var request = HTTPRequest("POST", "/v1/sync", headers: ["x": "y"], body: [1, 2, 3])
        request.query = "a=1&b=%20"
        let signature = RequestSignature(
            createdSeconds: created,
            nonce: "b3k2pp5k7z-50gnwp_yemd",
            keyIdentifier: "01hzy3x6bq9v7m5n0k2j4g8f1d"
        )
        request.sign(signature, authority: authority, key: MACKey(secret))
        return request
    }

    /// Reads and checks as the server does.
    static func verify(
        _ request: HTTPRequest,
        secret: [UInt8] = secret,
        authority: String = authority,
        nowSeconds: Int64 = created
    ) throws(SignatureError) -> VerifiedRequest {
        try SignedRequest(parsing: request)
            .verified(by: MACKey(secret), authority: authority, nowSeconds: nowSeconds)
    }

    /// RFC 9421 appendix B.2.5.
    @Test func `the base and the tag of the RFC's hmac example are right`() throws {
        let key = try #require(
            Base64.standard.decode(
                "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="
            )
        )
        let request = HTTPRequest(
            "POST",
            "/foo",
            headers: [
                "date": "Tue, 20 Apr 2021 02:07:55 GMT", "content-type": "application/json",
            ]
        )
        let base = SignatureBase(
            components: ["date", "@authority", "content-type"],
            parameters: ";created=1618884473;keyid=\"test-shared-secret\""
        )
        let bytes = try #require(base.bytes(of: request, authority: "example.com"))
        let expected = """
            "date": Tue, 20 Apr 2021 02:07:55 GMT
            "@authority": example.com
            "content-type": application/json
            "@signature-params": ("date" "@authority" "content-type")\
            ;created=1618884473;keyid="test-shared-secret"
            """
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        let tag = Base64.standard.encode(MACKey(key).tag(of: bytes))
        #expect(tag == "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=")
    }

    /// Digest and tag were computed with Python's hmac.
    @Test func `our own signature has the form of the documentation`() {
        let request = Self.signed()
        let digest = "sha-256=:A5BYxvLAy0ksUzsKTRTvd8wPeKvMztUofYShogEc+4E=:"
        #expect(request.headers["content-digest"] == digest)
        let input = """
            wake=("@method" "@authority" "@path" "@query" "content-digest");created=1618884473\
            ;nonce="b3k2pp5k7z-50gnwp_yemd";keyid="01hzy3x6bq9v7m5n0k2j4g8f1d"\
            ;alg="hmac-sha256";tag="wake"
            """
        #expect(request.headers["signature-input"] == input)
        let tag = "wake=:ufFJlKMTyuPUykueoIr/JTc0zmE4yPEw9GG8gfiwd30=:"
        #expect(request.headers["signature"] == tag)
    }

    @Test func `a signed request is verified and says who signed it`() throws {
        let request = Self.signed()
        let signed = try SignedRequest(parsing: request)
        #expect(signed.signature.keyIdentifier == "01hzy3x6bq9v7m5n0k2j4g8f1d")
        let verified = try Self.verify(request)
        #expect(verified.request == request)
        #expect(verified.signature.nonce == "b3k2pp5k7z-50gnwp_yemd")
    }

    @Test func `without a query the component is a question mark`() throws {
        var request = HTTPRequest("GET", "/")
        let signature = RequestSignature(createdSeconds: 0, nonce: "n", keyIdentifier: "k")
        let bytes = try #require(
            {
                request.headers["content-digest"] = "d"
                return signature.base.bytes(of: request, authority: "A:1")
            }()
        )
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines[1] == "\"@authority\": a:1")
        #expect(lines[3] == "\"@query\": ?")
    }

    @Test(arguments: [-301, -300, -299, 0, 299, 300, 301])
    func `a clock may be five minutes off`(skew: Int64) throws {
        let verify = { try Self.verify(Self.signed(), nowSeconds: Self.created + skew) }
        if abs(skew) <= 300 {
            _ = try verify()
        } else {
            #expect(throws: SignatureError.skewed(createdSeconds: Self.created)) { try verify() }
        }
    }

    @Test func `a time at the end of the world is skewed`() {
        for now in [Int64.min, Int64.max] {
            #expect(throws: SignatureError.skewed(createdSeconds: Self.created)) {
                try Self.verify(Self.signed(), nowSeconds: now)
            }
        }
    }

    @Test func `another key, authority, method, path or query is a bad signature`() {
        let other: [(inout HTTPRequest) -> Void] = [
            { $0.method = "PUT" }, { $0.path = "/v1/sync/" }, { $0.path = "/v1/Sync" },
            { $0.query = nil }, { $0.query = "" }, { $0.query = "b=%20&a=1" },
        ]
        for change in other {
            var request = Self.signed()
            change(&request)
            #expect(throws: SignatureError.badSignature) { try Self.verify(request) }
        }
        #expect(throws: SignatureError.badSignature) {
            try Self.verify(Self.signed(), secret: [1])
        }
        #expect(throws: SignatureError.badSignature) {
            try Self.verify(Self.signed(), authority: "sync.example:8444")
        }
    }

    @Test func `another body is a bad digest`() {
        for body in [[], [1, 2], [1, 2, 4], [1, 2, 3, 0]] as [[UInt8]] {
            var request = Self.signed()
            request.body = body
            #expect(throws: SignatureError.badDigest) { try Self.verify(request) }
        }
    }

    @Test(arguments: ["content-digest", "signature-input", "signature"])
    func `a missing field is missing`(name: String) {
        var request = Self.signed()
        request.headers[name] = nil
        #expect(throws: SignatureError.missing) { try Self.verify(request) }
    }

    @Test(arguments: ["content-digest", "signature-input", "signature"])
    func `a flipped bit anywhere in a field is refused`(name: String) throws {
        let field = Array(try #require(Self.signed().headers[name]).utf8)
        for index in field.indices {
            for bit in 0..<7 {
                var bytes = field
                bytes[index] ^= 1 << bit
                var request = Self.signed()
                request.headers[name] = String(decoding: bytes, as: UTF8.self)
                #expect(throws: SignatureError.self) { try Self.verify(request) }
            }
        }
    }

    @Test(arguments: [
        ("signature", "wake=:", "sig=:"),
        ("signature", "wake=:", "a=:AA==:, wake=:"),
        ("signature", "=:", ":, b=:AA==:"),
        ("signature-input", "wake=(", "sig=("),
        ("signature-input", "\"@query\" ", ""),
        ("signature-input", "\"@method\" \"@authority\"", "\"@authority\" \"@method\""),
        ("signature-input", ";created=", "; created="),
        ("signature-input", "=1618884473", "=01618884473"),
        ("signature-input", "=1618884473", "=+1618884473"),
        ("signature-input", "=1618884473", "=-1"),
        ("signature-input", "=1618884473", "=99999999999999999999"),
        ("signature-input", "hmac-sha256", "hmac-sha512"),
        ("signature-input", "tag=\"wake\"", "tag=\"wake\";expires=1"),
        ("signature-input", "b3k2pp5k7z-50gnwp_yemd", ""),
        ("signature-input", "b3k2pp5k7z-50gnwp_yemd", "\\\""),
        ("signature-input", "nonce=\"b3k2pp5k7z-50gnwp_yemd\"", "nonce=\""),
    ])
    func `anything but the one form is malformed`(name: String, part: String, other: String) {
        var request = Self.signed()
        request.headers[name] = request.headers[name]?.replacing(part, with: other)
        #expect(throws: SignatureError.malformed) { try Self.verify(request) }
    }
}
