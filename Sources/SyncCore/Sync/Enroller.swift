internal import FoundationEssentials

/// Enrols devices by link, and creates links for other devices.
package struct Enroller: Sendable {
    private let transport: any Transport

    /// - Parameter transport: A connection to the link's authority.
    package init(transport: any Transport) { self.transport = transport }

    /// Joins the server of a link; earlier recordings are kept.
    ///
    /// Idempotent: the same device can repeat it with the same link if the reply is lost. If the
    /// server knows the id with another key, this database is a copy, and it joins as a new device
    /// with a new id, key and space.
    package func join(_ link: Link, with replica: Replica, at now: UnixTime) async throws {
        let identity = try await replica.read { try $0.identity.current() }
        if let authority = identity.authority {
            throw ReplicaError.alreadyJoined(authority: authority)
        }
        do {
            try await enrol(identity, by: link, with: replica, at: now)
        } catch let problem as ServerProblem where problem.type == .fork {
            try await replica.write { try $0.enrolment.becomeAnotherDevice() }
            let copy = try await replica.read { try $0.identity.current() }
            try await enrol(copy, by: link, with: replica, at: now)
        }
    }

    /// Adopts the server's new trust anchor from another link of the same server.
    ///
    /// `client` must use a connection that trusts the link. The server must also recognise the
    /// device, which an authenticated request checks. A link for plain HTTP is rejected.
    package static func takeNewKey(
        from link: Link,
        into replica: Replica,
        client: ServerClient
    ) async throws {
        let identity = try await replica.read { try $0.identity.current() }
        guard let authority = identity.authority else { throw ReplicaError.notJoined }
        guard authority == link.authority, identity.trust != link.trust, link.trust != .plain else {
            throw ReplicaError.alreadyJoined(authority: authority)
        }
        _ = try await client.send(HTTPRequest("GET", "/v1/devices"))
        try await replica.write { try $0.enrolment.setTrust(link.trust) }
    }

    private func enrol(
        _ identity: DeviceIdentity,
        by link: Link,
        with replica: Replica,
        at now: UnixTime
    ) async throws {
        let enrolment = try await enrolment(
            of: identity.device,
            named: identity.name,
            key: identity.privateKey,
            by: link
        )
        try await replica.write { try $0.enrolment.join(enrolment, at: now) }
    }

    /// Enrols this database again as a new device and keeps all its data.
    ///
    /// For a server that lost everything including its keys, or that revoked this device. The link
    /// may be of another server, but must be of the same person; else throws
    /// ``ReplicaError/anotherPerson(ownSpace:)``.
    package func rejoin(_ link: Link, with replica: Replica, at now: UnixTime) async throws {
        let next = try await replica.read { try $0.enrolment.nextDevice(token: link.secret.token) }
        let space = try await replica.read { try $0.spaces.own() }
        do {
            let enrolment = try await enrolment(
                of: next.id,
                named: try await replica.read { try $0.identity.current() }.name,
                key: next.privateKey,
                bringing: space,
                by: link
            )
            try await replica.write { try $0.enrolment.rejoin(enrolment, as: next, at: now) }
        } catch let problem as ServerProblem where problem.type == .forbidden {
            throw ReplicaError.anotherPerson(ownSpace: space)
        }
    }

    private func enrolment(
        of device: Identifier,
        named name: String,
        key: Secret,
        bringing space: Identifier? = nil,
        by link: Link
    ) async throws -> Enrolment {
        let request = EnrolRequest(
            token: Base64.url.encode(link.secret.token),
            device: device.description,
            name: name,
            key: Base64.url.encode(AgreementKey(secret: key).publicKey.bytes),
            space: space?.description
        )
        let response = try ServerProblem.check(
            try await transport.send(try HTTPRequest("POST", "/v1/enrol", json: request))
        )
        guard let reply = try? JSONDecoder().decode(EnrolReply.self, from: Data(response.body))
        else { throw EnrolmentError.malformedReply }
        return try enrolment(reply, of: device, by: link)
    }

    private func enrolment(
        _ reply: EnrolReply,
        of device: Identifier,
        by link: Link
    ) throws -> Enrolment {
        guard let user = Identifier(reply.user), let secret = Base64.url.decode(reply.deviceKey),
            secret.count == 32, let receipt = Base64.url.decode(reply.receipt), receipt.count == 32
        else { throw EnrolmentError.malformedReply }
        return Enrolment(
            authority: link.authority,
            trust: link.trust,
            user: user,
            deviceKeys: DeviceKeys(
                device: device,
                secrets: [reply.keyEpoch: Secret(bytes: secret)]
            ),
            ownSpace: try reply.space.map { try spaceKeys($0, reply, link) },
            receipt: receipt
        )
    }

    private func spaceKeys(_ space: String, _ reply: EnrolReply, _ link: Link) throws -> SpaceKeys {
        guard let space = Identifier(space),
            let wrapped = reply.wrappedKey.flatMap({ Base64.url.decode($0) })
        else { throw EnrolmentError.malformedReply }
        guard let keys = link.secret.unwrap(wrapped, of: space) else {
            throw EnrolmentError.wrongWrap
        }
        return keys
    }

    /// Creates a single-use link for another device of the same person.
    ///
    /// The space key is wrapped under the link's secret, which the server never sees.
    package static func link(
        for replica: Replica,
        client: ServerClient,
        validSeconds: Int,
        using generator: inout some RandomNumberGenerator
    ) async throws -> Link {
        let identity = try await replica.read { try $0.identity.current() }
        guard let authority = identity.authority, let trust = identity.trust else {
            throw ReplicaError.notJoined
        }
        let space = try await replica.read { try $0.spaces.own() }
        let keys = try await replica.read { try $0.spaces.keys(of: space) }
        let link = Link(
            authority: authority,
            secret: LinkSecret(.random(using: &generator)),
            trust: trust
        )
        guard let wrapped = link.secret.wrap(keys, using: &generator) else {
            throw SealError.noSpaceKey(space)
        }
        let invitation = InvitationRequest(
            kind: "device",
            tokenHash: Base64.url.encode(Digest(of: link.secret.token).bytes),
            wrappedKey: Base64.url.encode(wrapped),
            validSeconds: validSeconds
        )
        let path = "/v1/spaces/\(space)/invitations"
        _ = try await client.send(try HTTPRequest("POST", path, json: invitation))
        return link
    }
}

/// Why the reply to an enrolment cannot be used.
package enum EnrolmentError: Error, Equatable {
    /// The reply does not follow the protocol.
    case malformedReply
    /// The link's secret does not unwrap the space key, so the key was wrapped for another link.
    case wrongWrap
}
