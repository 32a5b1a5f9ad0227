internal import SyncCore

extension Service {
    var enrolmentRoutes: [Operation] {
        [
            Operation(
                "POST",
                "/v1/enrol",
                name: "enrol",
                Description(
                    summary: "Lets a device enter a space, and gives it its MAC key",
                    takes: Body(content: .cbor, byteLimit: RequestLimits.enrolBytes),
                    gives: [.with(.cbor)],
                    problems: [.unauthorized, .forbidden, .fork, .storageFull]
                )
            ) { context in try await enrol(try context.cbor(EnrolRequest.init(decoding:))) }
        ]
    }

    private func enrol(_ request: EnrolRequest) async throws -> HTTPResponse {
        var reply = EnrolReply(challenge: authenticator.newChallenge())
        guard let challenge = request.challenge else { return HTTPResponse(cbor: reply.encoded) }
        guard Challenge(keys).isValid(challenge, at: now()) else {
            throw Problem(.unauthorized, "the challenge is too old, or is not this server's")
        }
        guard request.items.count <= SyncCore.Limits.setLimit,
            request.proofs.count <= RequestLimits.enrolProofs,
            request.name?.utf8.count ?? 0 <= RequestLimits.nameBytes
        else { throw Problem(.tooLarge, "too many control sets or proofs, or too long a name") }
        // A revoked device may not enrol, even if the chain lacks its revocation.
        for proof in request.proofs where try await store.isRevoked(proof.signer) {
            throw Self.unknownProof
        }
        guard let space = try await space(of: request) else { throw Self.unknownProof }
        reply.space = space
        let past = try await controlsUntilEnd(of: request, space)
        if past == nil { try await enter(request, space, into: &reply) }
        try await authenticator.spendEnrolment(challenge)
        if let past {
            reply.controls = past
            return HTTPResponse(cbor: reply.encoded)
        }
        guard let chain = try await store.chain(of: space) else { throw Self.unknownProof }
        reply.controls = try await store.controls(of: space, from: request.known)
        if let wraps = chain.epochs.last?.wraps {
            reply.wraps = try? await store.chunk(wraps, in: space, for: nil)
        }
        reply.key = try await macKey(for: request, chain)
        return HTTPResponse(cbor: reply.encoded)
    }

    /// The space that a request names, or that of the card that signed it.
    private func space(of request: EnrolRequest) async throws -> Identifier? {
        if let space = request.space { return space }
        guard let signer = request.proofs.first?.signer else { return nil }
        return try await store.space(ofCard: signer)
    }

    /// Returns what a former member's device may read of a shared space: the control sets up to the one
    /// that ended its membership.
    ///
    /// Returns nil for any other request.
    private func controlsUntilEnd(
        of request: EnrolRequest,
        _ space: Identifier
    ) async throws -> [[UInt8]]? {
        guard request.items.isEmpty, let proof = request.proofs.first,
            let chain = try await store.chain(of: space), chain.kind == .shared,
            let former = chain.cards[proof.signer], let end = former.term.end,
            isSigned(proof, by: former.card.keys, request)
        else { return nil }
        guard request.known <= end.index else { return [] }
        let controls = try await store.controls(of: space, from: request.known)
        return Array(controls.prefix(Int(clamping: end.index + 1 - request.known)))
    }

    /// Checks who asks, and takes in the control sets that come along.
    private func enter(
        _ request: EnrolRequest,
        _ space: Identifier,
        into reply: inout EnrolReply
    ) async throws {
        let chain = try await store.chain(of: space)
        let isKnown = try await hasProof(request, chain)
        guard isKnown || !request.items.isEmpty else { throw Self.unknownProof }
        guard !request.items.isEmpty else { return }
        let receipts = MACKey(keys.receiptSecret.bytes)
        var budget = DecodingBudget()
        reply.results = try await takeIn(request.items) {
            RefilledSet.check($0, in: space, by: keys, receipts, covered: [], &budget)
        } append: { sets in
            // A server that was put back does not know who joined since; its receipts tell.
            let isProven = sets.allSatisfy { $0.proven == .accepted }
            guard isKnown || chain == nil || isProven else { throw Self.unknownProof }
            let entering = Entering(
                space: space,
                sets: sets,
                device: request.device,
                name: request.name,
                token: request.token.map { Digest(of: $0) }
            )
            do {
                let results = try await store.enter(entering, at: now())
                try await noteRevocations(in: sets.map(\.content), of: space, results)
                return results
            } catch StoreError.notFound {
                throw Self.unknownProof
            }
        }
        let later = try await store.chain(of: space)
        guard try await hasProof(request, later) else { throw Self.unknownProof }
    }

    /// Whether a live card or an open invitation of the chain, which has not expired, signed the
    /// challenge.
    ///
    /// The chain may lack a revocation that this server knows: whom it shuts out proves nothing, and
    /// neither do its links.
    private func hasProof(_ request: EnrolRequest, _ chain: ControlChain?) async throws -> Bool {
        guard let chain else { return false }
        for proof in request.proofs {
            guard let (device, keys) = door(proof.signer, of: chain),
                isSigned(proof, by: keys, request)
            else { continue }
            if try await !store.isRevoked(device) { return true }
        }
        return false
    }

    /// Returns the keys of a live card or an open invitation, and the device that answers for it.
    private func door(
        _ id: Identifier,
        of chain: ControlChain
    ) -> (device: Identifier, keys: PublicKeys)? {
        if let card = chain.cards[id], card.isLive { return (id, card.card.keys) }
        guard let known = chain.openInvitations[id], !known.invitation.isExpired(at: now()) else {
            return nil
        }
        return (known.maker, known.invitation.keys)
    }

    private func isSigned(
        _ proof: EnrolProof,
        by keys: PublicKeys,
        _ request: EnrolRequest
    ) -> Bool {
        proof.verifies(
            with: keys.signing,
            challenge: request.challenge ?? "",
            authority: authority()
        )
    }

    /// Returns the MAC key of a device that has a card and signed the challenge itself.
    private func macKey(
        for request: EnrolRequest,
        _ chain: ControlChain
    ) async throws -> (epoch: UInt64, secret: Secret)? {
        guard let id = request.device, let card = chain.cards[id], card.isLive,
            card.card.kind == .device,
            let proof = request.proofs.first(where: { $0.signer == id }),
            isSigned(proof, by: card.card.keys, request)
        else { return nil }
        guard var device = try await store.device(id), !device.isRevoked else {
            throw Self.unknownProof
        }
        if request.keyEpoch >= device.keyEpoch, request.keyEpoch < Self.keyEpochLimit {
            let raised = try await store.raiseKeyEpoch(of: id, above: request.keyEpoch)
            device = raised ?? device
        }
        return (device.keyEpoch, keys.deviceSecret(of: id, epoch: device.keyEpoch))
    }

    private static let keyEpochLimit: UInt64 = 1 << 32

    private static let unknownProof = Problem(
        .unauthorized,
        "the link is unknown, used or expired, or the device or code is unknown here or was revoked"
    )

    /// Keeps the revocations of an own space in a file beside the store, so that they survive a restore.
    ///
    /// A shared space shuts a device out of itself alone.
    func noteRevocations(
        in contents: [PushedSet.Content?],
        of space: Identifier,
        _ results: [PushResult]
    ) async throws {
        var revoked: [Identifier] = []
        for case (.control(let set), .judged(_, .accepted, _)) in zip(contents, results) {
            for case .revoke(let revocation) in set.body.actions { revoked += revocation.devices }
        }
        guard !revoked.isEmpty, try await store.chain(of: space)?.kind == .own else { return }
        for device in revoked { try noteRevocation(device) }
    }
}
