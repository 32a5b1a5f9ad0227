internal import SyncCore

/// The device that signed a request, and its person.
struct Caller: Sendable {
    let device: Device
    let request: VerifiedRequest

    var user: Identifier { device.user }
}

/// Authenticates requests by their signatures (RFC 9421).
struct Authenticator: Sendable {
    let store: any Store
    let keys: ServerKeys
    /// `host:port` that signatures cover; from the configuration, never from a request.
    let authority: @Sendable () -> String
    let now: @Sendable () -> UnixTime
    let pace: DevicePace
    let newIdentifier: @Sendable () -> Identifier

    /// Returns the device that signed a request, and applies its rate limit.
    ///
    /// An unknown device, a revoked one and a wrong signature get the same problem.
    func caller(of context: RequestContext) async throws -> Caller {
        let (signed, device, key) = try await signer(of: context.request)
        let verified = try translating { () throws(SignatureError) in
            try signed.verified(by: key, authority: authority(), nowSeconds: nowSeconds)
        }
        context.note(device: device.id)
        try pace(device)
        try await spend(verified.signature.nonce, of: device.id)
        return Caller(device: device, request: verified)
    }

    /// Checks the signature of a request's head before its large body is received.
    ///
    /// Counts towards the rate limit, so a request with a large body counts twice.
    @concurrent func admit(_ head: HTTPRequest) async throws {
        let (signed, device, key) = try await signer(of: head)
        try translating { () throws(SignatureError) in
            try signed.verifyHead(by: key, authority: authority(), nowSeconds: nowSeconds)
        }
        try pace(device)
    }

    private func pace(_ device: Device) throws(Problem) {
        if let seconds = pace.secondsTooEarly(device.id) { throw Problem.rateLimited(seconds) }
    }

    /// Returns the device that a request names; its signature is not checked yet.
    private func signer(
        of request: HTTPRequest
    ) async throws -> (signed: SignedRequest, device: Device, key: MACKey) {
        let signed: SignedRequest
        do {
            signed = try SignedRequest(parsing: request)
        } catch {
            throw Problem(.unauthorized, "the request's signature is missing or malformed")
        }
        guard let id = Identifier(signed.signature.keyIdentifier),
            let device = try await store.device(id), !device.isRevoked,
            let key = keys.deviceKeys(of: id, epoch: device.keyEpoch)
                .requestKey(epoch: device.keyEpoch)
        else { throw Self.unknown }
        return (signed, device, key)
    }

    private func translating<Value>(
        _ check: () throws(SignatureError) -> Value
    ) throws(Problem) -> Value {
        do {
            return try check()
        } catch .skewed {
            throw Problem(
                .clockSkew,
                "the device's clock differs from the server's by more than five minutes",
                members: [
                    "server_time": .number(now().milliseconds),
                    "challenge": .text(newChallenge()),
                ]
            )
        } catch {
            throw Self.unknown
        }
    }

    private var nowSeconds: Int64 { now().milliseconds / 1000 }

    /// Returns a challenge for a device whose clock is wrong.
    func newChallenge() -> String {
        Challenge(keys).make(at: now(), random: Array(newIdentifier().bytes.prefix(8)))
    }

    /// Checks a challenge that a request has as its nonce; it is good once.
    ///
    /// Other nonces are not remembered: no request does more if it is sent again.
    private func spend(_ nonce: String, of device: Identifier) async throws {
        guard Challenge.isChallenge(nonce) else { return }
        guard Challenge(keys).isValid(nonce, at: now()),
            try await store.useNonce(nonce, of: device, at: now())
        else { throw Self.unknown }
    }

    /// Rejects a challenge by which somebody enrolled before.
    ///
    /// Only who has proved a right to enrol makes the store remember one.
    func spendEnrolment(_ challenge: String) async throws {
        guard try await store.useNonce(challenge, of: .zero, at: now()) else {
            throw Problem(.unauthorized, "the server already received this request")
        }
    }

    private static let unknown = Problem(
        .unauthorized,
        "the device is unknown to this server, was revoked, or did not sign this request"
    )
}
