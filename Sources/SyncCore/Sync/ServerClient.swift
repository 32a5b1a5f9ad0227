internal import FoundationEssentials

/// A client of one server for one device, which signs requests and decodes problem documents.
package actor ServerClient {
    private let transport: any Transport
    private let authority: String
    private var keys: DeviceKeys
    private let now: @Sendable () -> Moment
    private let newIdentifier: @Sendable () -> Identifier
    /// The server's time tied to this boot.
    package private(set) var anchor: ClockAnchor?
    /// The server's challenge for the next request, if it gave one.
    private var challenge: String?

    package init(
        transport: any Transport,
        authority: String,
        keys: DeviceKeys,
        anchor: ClockAnchor?,
        now: @escaping @Sendable () -> Moment,
        newIdentifier: @escaping @Sendable () -> Identifier = Replica.randomIdentifier
    ) {
        self.transport = transport
        self.authority = authority
        self.keys = keys
        self.anchor = anchor
        self.now = now
        self.newIdentifier = newIdentifier
    }

    /// Sends one signed request; throws ``ServerProblem`` for any status but 2xx.
    ///
    /// After a `clock-skew` error it retries once, with the server's time and challenge. The
    /// server's time counts from then on only if the retry succeeds.
    package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let asked = now()
        do {
            return try await attemptDated(request, at: asked)
        } catch let problem as ServerProblem where problem.type == .clockSkew {
            guard let time = problem.serverTime, let challenge = problem.challenge else {
                throw problem
            }
            let anchor = ClockAnchor(server: time, asked: asked, answered: now())
            let response = try await attempt(request, at: time, nonce: challenge)
            learn(anchor)
            return response
        }
    }

    /// Signs with the server's time, as far as that is known; without a challenge, only if the wall
    /// clock is near it.
    ///
    /// A signature with a date that somebody else named could be kept until that date. With a
    /// challenge in it, the signature is good for five minutes, once.
    private func attemptDated(
        _ request: HTTPRequest,
        at moment: Moment
    ) async throws -> HTTPResponse {
        let window = UInt64(RequestSignature.windowSeconds) * 1000
        let isNear = (anchor?.offsetMilliseconds(at: moment)?.magnitude ?? 0) <= window
        let nonce = isNear ? nil : challenge
        challenge = nil
        let time = isNear || nonce != nil ? anchor?.time(at: moment) : nil
        return try await attempt(
            request,
            at: time ?? moment.wall,
            nonce: nonce ?? newIdentifier().description
        )
    }

    /// Signs with other keys from now on.
    package func use(_ keys: DeviceKeys) { self.keys = keys }

    private func learn(_ later: ClockAnchor) { anchor = anchor?.updated(by: later) ?? later }

    /// Pushes and pulls changes, and updates `anchor` from the reply's time.
    ///
    /// Throws ``CBORError`` for a reply that is not to the spaces of the request, in their order.
    package func sync(_ request: SyncRequest) async throws -> SyncReply {
        let asked = now()
        let response = try await post(request.encoded, to: "/v1/sync")
        let reply = try SyncReply(decoding: response.body)
        guard reply.spaces.map(\.space) == request.spaces.map(\.space) else {
            throw CBORError.unexpected(offset: 0)
        }
        learn(ClockAnchor(server: reply.time, asked: asked, answered: now()))
        return reply
    }

    /// Asks for the server's heads and refills its log with the items of the request.
    package func reconcile(_ request: ReconcileRequest) async throws -> ReconcileReply {
        let response = try await post(request.encoded, to: "/v1/reconcile")
        return try ReconcileReply(decoding: response.body)
    }

    package func entries(_ request: EntriesRequest) async throws -> EntriesReply {
        let response = try await post(request.encoded, to: "/v1/entries")
        return try EntriesReply(decoding: response.body)
    }

    /// Returns the entries of the held sets of a space that wait for an admin, with their bodies.
    package func held(in space: Identifier) async throws -> [[UInt8]] {
        let response = try await send(HTTPRequest("GET", "/v1/spaces/\(space)/held"))
        return try EntriesReply(decoding: response.body).entries
    }

    package func audit(_ request: AuditRequest) async throws -> AuditReply {
        let response = try await post(request.encoded, to: "/v1/audit")
        return try AuditReply(decoding: response.body, for: request.scope)
    }

    private func post(_ message: [UInt8], to path: String) async throws -> HTTPResponse {
        let headers = ["content-type": MediaType.cbor]
        return try await send(HTTPRequest("POST", path, headers: headers, body: message))
    }

    private func attempt(
        _ request: HTTPRequest,
        at time: UnixTime,
        nonce: String
    ) async throws -> HTTPResponse {
        guard let epoch = keys.epoch, let key = keys.requestKey(epoch: epoch) else {
            throw ReplicaError.notJoined
        }
        var request = request
        request.sign(
            RequestSignature(
                createdSeconds: max(time.milliseconds / 1000, 0),
                nonce: nonce,
                keyIdentifier: keys.device.description
            ),
            authority: authority,
            key: key
        )
        let response = try ServerProblem.check(try await transport.send(request))
        challenge = response.headers[HTTPResponse.challengeField]
            .flatMap { RequestSignature.isWord($0) ? $0 : nil }
        return response
    }
}

/// An error reply of the server, decoded from its problem document (RFC 9457).
package struct ServerProblem: Error, Equatable {
    /// The type, or nil if the reply has no type that this version knows, such as a proxy's reply.
    package let type: ProblemType?
    package let status: Int
    /// The problem document's `detail`, or a substitute if it has none.
    package let detail: String
    /// The server's wall clock, or nil if the reply lacks it or the value is not plausible.
    package let serverTime: UnixTime?
    /// The nonce with which the device may sign the server's time, or nil if there is none.
    package let challenge: String?
    /// Whether this is a reply of a server that did not arrive as it was sent.
    package var isDamaged = false

    private struct Document: Decodable {
        let type: String
        let detail: String?
        let server_time: Int64?
        let challenge: String?
    }

    /// Returns an intact reply of status 2xx; throws the problem of any other reply.
    package static func check(_ response: HTTPResponse) throws(ServerProblem) -> HTTPResponse {
        switch response.integrity {
        case .intact: break
        case .damaged:
            throw ServerProblem(
                of: response,
                "the reply was damaged on its way: its body does not match its digest"
            )
        case .undigested:
            throw ServerProblem(
                of: response,
                "the reply has no content-digest; a proxy before the server must let that field through"
            )
        }
        guard !(200..<300).contains(response.status) else { return response }
        let document = try? JSONDecoder().decode(Document.self, from: Data(response.body))
        throw ServerProblem(
            type: document.flatMap { ProblemType(rawValue: $0.type) },
            status: response.status,
            detail: document?.detail ?? "the server replied with status \(response.status)",
            serverTime: (document?.server_time).flatMap { milliseconds in
                UnixTime.plausible.contains(milliseconds)
                    ? UnixTime(milliseconds: milliseconds) : nil
            },
            challenge: document?.challenge.flatMap { RequestSignature.isWord($0) ? $0 : nil }
        )
    }
}

extension ServerProblem {
    /// A reply that is not as the server sent it.
    private init(of response: HTTPResponse, _ detail: String) {
        self.init(
            type: nil,
            status: response.status,
            detail: detail,
            serverTime: nil,
            challenge: nil,
            isDamaged: true
        )
    }
}
