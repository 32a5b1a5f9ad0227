/// Spaces that several people share.
extension Enroller {
    /// Enters the space of a link if it is a shared one; returns its id, or nil for an own space.
    ///
    /// Idempotent: a device that has a card in the space gets the same answer again.
    func enterShared(
        by link: Link,
        with replica: Replica,
        at now: Moment
    ) async throws -> Identifier? {
        guard let invitation = link.invitation else { return nil }
        let door = Door(invitation, secret: link.secret)
        guard try await isShared(door, replica) else { return nil }
        try await checkServer(replica)
        return try await enterShared(through: door, with: replica, at: now)
    }

    /// Enters the listed shared spaces by a recovery code, as far as the user's devices have let the code
    /// in; returns the spaces that it entered.
    package func enterListedSpaces(
        by code: RecoveryCode,
        with replica: Replica,
        at now: Moment
    ) async throws -> [Identifier] {
        var entered: [Identifier] = []
        for (space, anchor) in try await replica.read({ try $0.enrolment.listedSpaces() }) {
            let door = Door(code.keys, of: space, anchor)
            let space = try await usable {
                try await enterShared(through: door, with: replica, at: now)
            }
            if let space { entered.append(space) }
        }
        return entered
    }

    /// Returns what the body does with the server's answer for one space; nil if the answer is of no use.
    ///
    /// The other spaces must not wait for it, and the next sync asks again.
    func usable<Result>(_ body: () async throws -> Result) async throws -> Result? {
        do {
            return try await body()
        } catch let problem as ServerProblem where problem.type?.remedy != .retry {
            return nil
        } catch ReplicaError.malformedPage, ReplicaError.revivedDevice {
            return nil
        } catch let error where error is EnrolmentError || error is CBORError {
            return nil
        } catch is ControlError {
            return nil
        }
    }

    private func enterShared(
        through door: Door,
        with replica: Replica,
        at now: Moment
    ) async throws -> Identifier {
        let device = try await replica.read { try $0.identity.current() }.device
        for _ in 0..<Self.attemptLimit {
            let (reply, chain) = try await look(through: door, with: replica)
            if chain.cards[device]?.isLive == true {
                try await settle(reply, chain, with: replica, at: now)
                return chain.space
            }
            let secret = try secret(of: chain, reply, for: door.id, door.keys, nil)
            let set = try await replica.read {
                try $0.enrolment.entry(
                    into: chain,
                    by: door.keys,
                    isLink: door.isLink,
                    secret,
                    at: now
                )
            }
            let item = RefillItem(item: PushItem(upload: set.upload, body: set.body).encoded)
            let (answer, later) = try await look(
                through: door,
                with: replica,
                bringing: [item.encoded]
            )
            guard try isAccepted(answer.results, count: 1) else { continue }
            try await settle(answer, later, with: replica, at: now)
            return chain.space
        }
        throw EnrolmentError.stale
    }

    /// Enters a listed shared space, if another device of the user has let this one in; returns whether
    /// it is in.
    ///
    /// Throws ``EnrolmentError/otherHistory`` if the server shows another control chain than that device
    /// knows.
    func enterListed(
        _ space: Identifier,
        _ anchor: SpaceAnchor,
        with replica: Replica,
        at now: Moment
    ) async throws -> Bool {
        let identity = try await replica.read { try $0.identity.current() }
        let door = Door(identity.keys, of: space, anchor)
        var request = EnrolRequest()
        request.space = space
        (request.device, request.name) = (identity.device, identity.name)
        let reply = try await exchange(request, signedBy: [identity.keys])
        // A server that was put back has the rest once others have synced.
        guard reply.controls.count > anchor.index else { return false }
        let chain = try chain(in: reply, through: door)
        guard chain.cards[identity.device]?.isLive == true else { return false }
        try await settle(reply, chain, with: replica, at: now)
        return true
    }

    /// Asks for the control sets of a shared space up to the one that ended this device's membership;
    /// returns whether the server sent that one.
    func learnEnd(
        of space: Identifier,
        with replica: Replica,
        at now: Moment
    ) async throws -> Bool {
        let keys = try await replica.read { try $0.identity.current() }.keys
        var request = EnrolRequest()
        request.space = space
        let reply = try await exchange(request, signedBy: [keys])
        guard reply.space == space else { throw EnrolmentError.malformedReply }
        return try await replica.write {
            try $0.enrolment.end(in: space, reply.controls, at: now)
        }
    }

    /// Has the server host a shared space that this device founded, or that the server has lost.
    func hostShared(_ space: Identifier, with replica: Replica) async throws {
        let identity = try await replica.read { try $0.identity.current() }
        var request = EnrolRequest()
        request.space = space
        request.items = try await replica.read { try $0.backfill.controlItems(of: space) }
        request.device = identity.device
        request.name = identity.name
        _ = try await exchange(request, signedBy: [identity.keys])
    }

    /// Whether the space of a link is shared; asked as the link alone, for the server may have revoked this
    /// device.
    private func isShared(_ door: Door, _ replica: Replica) async throws -> Bool {
        var request = EnrolRequest()
        request.space = door.space
        do {
            let reply = try await exchange(request, signedBy: [door.keys], as: [door.id])
            return try chain(in: reply, through: door).kind == .shared
        } catch let problem as ServerProblem where problem.type == .unauthorized {
            // Perhaps it was this device that used the link.
            return try await look(through: door, with: replica).chain.kind == .shared
        }
    }

    /// Asks for the chain of a link's space, as the link and as this device.
    private func look(
        through door: Door,
        with replica: Replica,
        bringing items: [[UInt8]] = []
    ) async throws -> (reply: EnrolReply, chain: ControlChain) {
        let identity = try await replica.read { try $0.identity.current() }
        var request = EnrolRequest()
        (request.space, request.items) = (door.space, items)
        (request.device, request.name) = (identity.device, identity.name)
        let reply = try await exchange(
            request,
            signedBy: [door.keys, identity.keys],
            as: [door.id, identity.device]
        )
        return (reply, try chain(in: reply, through: door))
    }

    /// Stores that this device is in the space.
    private func settle(
        _ reply: EnrolReply,
        _ chain: ControlChain,
        with replica: Replica,
        at now: Moment
    ) async throws {
        let identity = try await replica.read { try $0.identity.current() }
        let known = try await replica.read { try $0.spaces.keys(of: chain.space) }
        let secret = try secret(of: chain, reply, for: identity.device, identity.keys, known)
        let enrolment = try enrolment(reply, of: identity.device)
        try await replica.write {
            try $0.enrolment.enterShared(chain.space, enrolment, secret: secret, at: now)
        }
    }

    /// A device has one server: that of its own space.
    private func checkServer(_ replica: Replica) async throws {
        let known = try await replica.read { try $0.identity.current() }.authority
        if let known, known != authority { throw ReplicaError.alreadyJoined(authority: known) }
    }
}
