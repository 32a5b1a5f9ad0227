/// Enrols devices at a server and into the own space of their user.
package struct Enroller: Sendable {
    private let transport: any Transport
    let authority: String
    private let trust: ServerTrust

    /// - Parameter transport: A connection to the authority that checks its trust.
    package init(transport: any Transport, authority: String, trust: ServerTrust) {
        (self.transport, self.authority, self.trust) = (transport, authority, trust)
    }

    /// Enrols at the server of a link.
    package init(transport: any Transport, for link: Link) {
        self.init(transport: transport, authority: link.authority, trust: link.trust)
    }

    /// How often a set is sealed again because another one came first.
    static let attemptLimit = 4

    /// Joins the server of a link; earlier recordings are kept.
    ///
    /// Idempotent: the same device can repeat it with the same link if the reply is lost. If the
    /// server knows this device by another link, this database is a copy, and it joins as a new
    /// device with new keys and a new space.
    ///
    /// Returns the space that the link lets in, if it is a shared one; the own space then stays as it is.
    @discardableResult
    package func join(
        _ link: Link,
        with replica: Replica,
        at now: Moment
    ) async throws -> Identifier? {
        if let space = try await enterShared(by: link, with: replica, at: now) { return space }
        if let authority = try await replica.read({ try $0.identity.current() }).authority {
            throw ReplicaError.alreadyJoined(authority: authority)
        }
        do {
            try await enter(by: link, with: replica, at: now, isNewDevice: false)
        } catch let problem as ServerProblem where problem.type == .fork {
            try await replica.write { try $0.enrolment.becomeAnotherDevice(at: now.wall) }
            try await enter(by: link, with: replica, at: now, isNewDevice: false)
        }
        return nil
    }

    /// Joins again as a new device with fresh keys, and keeps all data.
    ///
    /// A link of another device lets the new one in. With a link of the server, the old keys vouch
    /// for the new ones, as long as they were not revoked. Throws
    /// ``ReplicaError/anotherPerson(ownSpace:)`` for the link of another user, and
    /// ``ReplicaError/sharing`` for a device that is in shared spaces: the new one would not be.
    package func rejoin(_ link: Link, with replica: Replica, at now: Moment) async throws {
        let own = try await replica.read { try $0.spaces.own() }
        guard link.invitation == nil || link.invitation?.space == own else {
            throw ReplicaError.anotherPerson(ownSpace: own)
        }
        guard try await !replica.read({ try $0.enrolment.isSharing() }) else {
            throw ReplicaError.sharing
        }
        try await recordingBreach(with: replica, at: now) {
            try await enter(by: link, with: replica, at: now, isNewDevice: true)
        }
    }

    private func enter(
        by link: Link,
        with replica: Replica,
        at now: Moment,
        isNewDevice: Bool
    ) async throws {
        if let invitation = link.invitation {
            try await enter(
                Door(invitation, secret: link.secret),
                with: replica,
                at: now,
                isNewDevice: isNewDevice
            )
        } else if isNewDevice {
            try await vouchForItself(token: link.secret.token, with: replica, at: now)
        } else {
            try await host(token: link.secret.token, with: replica, at: now)
        }
    }

    /// Asks the server to host the own space, or to give this device its MAC key again.
    ///
    /// The control sets that the server lacks come along. Their receipts prove that the server
    /// hosted the space before; otherwise it takes the token of one of its links.
    ///
    /// - Parameter token: the token of a link, or nil for a server that knows the space or has lost
    ///   it.
    package func host(
        token: [UInt8]? = nil,
        with replica: Replica,
        at now: Moment
    ) async throws {
        let identity = try await replica.read { try $0.identity.current() }
        var request = try await request(of: replica)
        request.token = token
        request.device = identity.device
        var reply = try await exchange(request, signedBy: [identity.keys])
        let known = try await replica.read { try $0.identity.deviceKeys() }
        if let key = reply.key, let secret = known.secrets[key.epoch],
            !MACKey.equal(secret.bytes, key.secret.bytes)
        {
            // The server lost its master key: sets under the old MAC key must stay verifiable.
            request.keyEpoch = known.epoch ?? 0
            reply = try await exchange(request, signedBy: [identity.keys])
        }
        let enrolment = try enrolment(reply, of: identity.device)
        try await recordingBreach(with: replica, at: now) {
            try await replica.write { try $0.enrolment.host(enrolment, at: now) }
        }
    }

    /// Restores all data from a recovery code, after the loss of every device.
    ///
    /// Throws ``ServerProblem`` of type `unauthorized` for a code that the server does not know.
    package func recover(
        by code: RecoveryCode,
        with replica: Replica,
        at now: Moment
    ) async throws {
        try await enter(Door(code), with: replica, at: now, isNewDevice: false)
    }

    /// Enters the own space again by the link by which this device once entered it.
    ///
    /// For a server that was put back to before that. Its link is unused there. Returns false if this
    /// device did not enter by a link; throws ``ServerProblem`` if the link is no good any more.
    func enterAgain(with replica: Replica, at now: Moment) async throws -> Bool {
        let (own, device, entrance) = try await replica.read {
            (
                try $0.spaces.own(), try $0.identity.current().device,
                try $0.enrolment.entrance()
            )
        }
        guard let entrance, let link = entrance.link, entrance.keys.publicKeys.device == device
        else { return false }
        try await recordingBreach(with: replica, at: now) {
            try await enter(
                Door(again: link, into: own),
                with: replica,
                at: now,
                isNewDevice: false
            )
        }
        return true
    }

    /// The old keys of this database vouch for fresh ones.
    private func vouchForItself(
        token: [UInt8],
        with replica: Replica,
        at now: Moment
    ) async throws {
        let identity = try await replica.read { try $0.identity.current() }
        let own = try await replica.read { try $0.spaces.own() }
        let chain = try await replica.read { try $0.controls.chain(of: own) }
        guard chain.cards[identity.device]?.isLive == true else { throw EnrolmentError.revoked }
        var request = try await request(of: replica)
        request.token = token
        _ = try await exchange(request, signedBy: [identity.keys])
        let keys = try await replica.read { try $0.spaces.keys(of: own) }
        try await enter(
            Door(identity.keys, of: own, keys),
            with: replica,
            at: now,
            isNewDevice: true
        )
    }

    /// A request with the control sets of the own space.
    private func request(of replica: Replica) async throws -> EnrolRequest {
        var request = EnrolRequest()
        let own = try await replica.read { try $0.spaces.own() }
        request.space = own
        request.items = try await replica.read { try $0.backfill.controlItems(of: own) }
        request.name = try await replica.read { try $0.identity.current() }.name
        return request
    }
}

extension Enroller {
    /// Enters a space through a door: learns the control chain, then seals the set that enters.
    private func enter(
        _ door: Door,
        with replica: Replica,
        at now: Moment,
        isNewDevice: Bool
    ) async throws {
        let identity = try await replica.read { try $0.identity.current() }
        let isFresh = isNewDevice || identity.authority != nil
        var entrance = try await replica.write {
            try $0.enrolment.prepareEntrance(
                through: door.id,
                by: door.isLink ? door.keys : nil,
                withFreshKeys: isFresh
            )
        }
        for _ in 0..<Self.attemptLimit {
            if entrance.set == nil {
                entrance = try await prepare(entrance, through: door, with: replica, at: now)
            }
            guard let enrolled = try await send(entrance, through: door, with: replica) else {
                entrance = entrance.withoutSet
                continue
            }
            let used = entrance
            try await replica.write {
                try $0.enrolment.enter(
                    enrolled.chain.space,
                    by: used,
                    enrolled.enrolment,
                    secret: enrolled.secret,
                    at: now
                )
            }
            return
        }
        throw EnrolmentError.stale
    }

    /// Seals the set by which a device enters, after the control chain that the server shows.
    ///
    /// A database whose keys have a card there already is a copy, or was put back to before it
    /// joined. It enters with fresh keys.
    private func prepare(
        _ entrance: Entrance,
        through door: Door,
        with replica: Replica,
        at now: Moment
    ) async throws -> Entrance {
        var request = EnrolRequest()
        request.space = door.space
        let reply = try await exchange(request, signedBy: [door.keys], as: [door.id])
        let chain = try chain(in: reply, through: door)
        try await checkOwner(of: chain, replica)
        if door.isOwnCard || door.wasUsed {
            try await replica.read {
                try $0.enrolment.checkAuthors(of: reply.controls, in: chain.space)
            }
        }
        var entrance = entrance
        if chain.cards[entrance.keys.publicKeys.device] != nil {
            guard !door.wasUsed else { throw EnrolmentError.revoked }
            entrance = try await replica.write { try $0.enrolment.renewEntrance() }
        }
        let secret = try secret(of: chain, reply, for: door.id, door.keys, door.secrets)
        let prepared = entrance
        return try await replica.write {
            try $0.enrolment.seal(prepared, after: chain, by: door.keys, secret, at: now.wall)
        }
    }

    /// Sends the set by which a device enters; returns nil if another control set came first.
    private func send(
        _ entrance: Entrance,
        through door: Door,
        with replica: Replica
    ) async throws -> (chain: ControlChain, secret: EpochSecret, enrolment: Enrolment)? {
        guard let item = entrance.item else { throw EnrolmentError.malformedReply }
        var request = EnrolRequest()
        request.space = try Upload(parsing: item.upload).header.space
        request.items = [RefillItem(item: item.encoded).encoded]
        request.name = try await replica.read { try $0.identity.current() }.name
        let device = entrance.keys.publicKeys.device
        request.device = device
        let reply = try await exchange(
            request,
            signedBy: [door.keys, entrance.keys],
            as: [door.id, device]
        )
        guard try isAccepted(reply.results, count: request.items.count) else { return nil }
        let chain = try chain(in: reply, through: door)
        let secret = try secret(of: chain, reply, for: device, entrance.keys, door.secrets)
        return (chain, secret, try enrolment(reply, of: device))
    }

    /// Whether the server took all sets of a request; false if another control set came first.
    func isAccepted(_ results: [PushResult], count: Int) throws -> Bool {
        guard results.count == count else { throw EnrolmentError.malformedReply }
        for result in results {
            switch result {
            case .judged(_, .accepted, _): break
            case .failed(ProblemType.stale.rawValue, _): return false
            case .failed(let problem, _): throw EnrolmentError.refused(problem)
            case .judged: throw EnrolmentError.malformedReply
            }
        }
        return true
    }

    /// Evaluates the control chain in a reply, which must contain the anchor of the link.
    func chain(in reply: EnrolReply, through door: Door) throws -> ControlChain {
        guard let space = reply.space, door.space.map({ $0 == space }) ?? true else {
            throw EnrolmentError.malformedReply
        }
        var chain = ControlChain(of: space)
        for entry in reply.controls {
            let entry = try LogEntry(decoding: entry[...])
            guard case .set(let bytes, .accepted) = entry.content, let body = entry.body else {
                throw EnrolmentError.malformedReply
            }
            let upload = try Upload(parsing: bytes)
            do throws(ControlError) {
                try chain.apply(try ControlSet(upload, body: body))
            } catch {
                throw EnrolmentError.brokenChain(error)
            }
        }
        if let anchor = door.anchor {
            let hash = chain.hash(ofFirst: anchor.index + 1)?.bytes.prefix(16)
            guard hash.map(Array.init) == anchor.hash else { throw EnrolmentError.otherHistory }
        }
        return chain
    }

    /// The data of two people never mix.
    private func checkOwner(of chain: ControlChain, _ replica: Replica) async throws {
        let own = try await replica.read { try $0.spaces.own() }
        let isJoined = try await replica.read { try $0.identity.current() }.authority != nil
        guard !isJoined || own == chain.space else {
            throw ReplicaError.anotherPerson(ownSpace: own)
        }
    }

    func secret(
        of chain: ControlChain,
        _ reply: EnrolReply,
        for recipient: Identifier,
        _ keys: KeyPairs,
        _ known: SpaceKeys?
    ) throws -> EpochSecret {
        let chunk = reply.wraps.flatMap { try? KeyWraps(chunk: $0) }
        let found = chain.newestSecret(for: recipient, with: keys.agreement, chunk: chunk)
        if let found { return found }
        guard let newest = chain.epochs.last, let secret = known?.secrets[newest.number] else {
            throw EnrolmentError.wrongWrap
        }
        return EpochSecret(space: chain.space, epoch: newest.number, secret: secret)
    }

    func enrolment(_ reply: EnrolReply, of device: Identifier) throws -> Enrolment {
        guard let key = reply.key else { throw EnrolmentError.malformedReply }
        return Enrolment(
            authority: authority,
            trust: trust,
            deviceKeys: DeviceKeys(device: device, secrets: [key.epoch: key.secret]),
            controls: reply.controls
        )
    }

    /// Sends a request with signatures over a fresh challenge of the server.
    func exchange(
        _ request: EnrolRequest,
        signedBy keys: [KeyPairs],
        as signers: [Identifier]? = nil
    ) async throws -> EnrolReply {
        let challenge = try await send(EnrolRequest()).challenge
        var request = request
        request.challenge = challenge
        let ids = signers ?? keys.map(\.publicKeys.device)
        request.proofs = zip(ids, keys).map {
            EnrolProof($0, $1.signing, challenge: challenge, authority: authority)
        }
        return try await send(request)
    }

    private func send(_ request: EnrolRequest) async throws -> EnrolReply {
        let message = HTTPRequest(
            "POST",
            "/v1/enrol",
            headers: ["content-type": MediaType.cbor],
            body: request.encoded
        )
        let response = try ServerProblem.check(try await transport.send(message))
        guard let reply = try? EnrolReply(decoding: response.body) else {
            throw EnrolmentError.malformedReply
        }
        return reply
    }
}
