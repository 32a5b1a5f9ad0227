internal import FoundationEssentials

/// Lets a device in by a link, and makes links for others.
package struct Enroller: Sendable {
    private let transport: any Transport

    /// - Parameter transport: to the authority of the link.
    package init(transport: any Transport) {
        self.transport = transport
    }

    /// Joins the server of a link; what was recorded before goes along.
    ///
    /// It can be repeated with the same link by the same device, should the answer be lost. A copy
    /// of a device that joined before becomes a device of its own.
    package func join(_ link: Link, with replica: Replica, at now: UnixTime) async throws {
        let identity = try await replica.read { try $0.identity.current() }
        if let authority = identity.authority {
            throw ReplicaError.alreadyJoined(authority: authority)
        }
        do {
            try await enrol(identity, by: link, with: replica, at: now)
        } catch let problem as ServerProblem where problem.type == .fork {
            try await replica.write { try $0.enrolment.becomeAnotherDevice() }
            try await enrol(
                try await replica.read { try $0.identity.current() },
                by: link,
                with: replica,
                at: now
            )
        }
    }

    /// Takes the server's new key from another link of the server that the device joined.
    ///
    /// `client` speaks over a connection that trusts the link; what answers there must know the
    /// device. A link for plain HTTP brings no key.
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

    /// Joins anew, as another device, with everything that is here: after the server lost all that
    /// it had, its keys too, or revoked this device.
    ///
    /// The link is this person's, of whatever server.
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
            key: Base64.url.encode(key.publicKey),
            space: space?.description
        )
        let response = try ServerProblem.check(
            try await transport.send(
                HTTPRequest(
                    "POST",
                    "/v1/enrol",
                    headers: ["content-type": "application/json"],
                    body: Array(try JSONEncoder().encode(request))
                )
            )
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

    private func spaceKeys(
        _ space: String,
        _ reply: EnrolReply,
        _ link: Link
    ) throws -> SpaceKeys {
        guard let space = Identifier(space),
            let wrapped = reply.wrappedKey.flatMap({ Base64.url.decode($0) })
        else { throw EnrolmentError.malformedReply }
        guard let keys = link.secret.unwrap(wrapped, of: space) else {
            throw EnrolmentError.wrongWrap
        }
        return keys
    }
}

extension Enroller {
    /// Makes a single-use link for another device of the same person.
    ///
    /// The space key travels wrapped under the link's secret, which the server never sees.
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
        _ = try await client.send(
            HTTPRequest(
                "POST",
                "/v1/spaces/\(space)/invitations",
                headers: ["content-type": "application/json"],
                body: Array(try JSONEncoder().encode(invitation))
            )
        )
        return link
    }
}

/// Why an answer to an enrolment cannot be used.
package enum EnrolmentError: Error, Equatable {
    /// The server's answer is not of this protocol.
    case malformedReply
    /// The space key cannot be unwrapped: the link is not the one that was made for it.
    case wrongWrap
}
