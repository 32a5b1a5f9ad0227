/// The actions of a control set that a device is about to seal, and the chunks that they name.
///
/// Everything random is drawn anew for every plan, also when a set is planned again because it was
/// stale: an ephemeral key encrypts for one set only.
package struct ControlPlan: Sendable {
    package private(set) var actions: [ControlAction] = []
    /// The chunks of wraps.
    package private(set) var chunks: [[UInt8]] = []

    package init() {}

    package init(_ actions: [ControlAction]) { self.actions = actions }

    /// Founds a space with its first key epoch; returns its secret and its id.
    ///
    /// - Parameter proof: that the device is of its user; empty for the user's first device.
    package mutating func found(
        _ kind: SpaceKind,
        by keys: KeyPairs,
        proof: UserProof = UserProof(first: nil),
        using generator: inout some RandomNumberGenerator
    ) -> EpochSecret {
        let nonce = Identifier.random(using: &generator)
        let card = Card(keys, of: proof.first?.user ?? keys.publicKeys.user, as: .device)
        let space = Identifier(
            ofSpace: kind,
            foundedBy: keys.publicKeys.signing,
            nonce: nonce
        )
        actions.append(
            .found(
                ControlAction.Founding(
                    kind: kind,
                    nonce: nonce,
                    policy: ControlChain.policy,
                    card: card,
                    proof: proof
                )
            )
        )
        let secret = EpochSecret(space: space, epoch: 1, secret: .random(using: &generator))
        add(secret, after: nil, for: [card.device: card.keys.agreement], using: &generator)
        return secret
    }

    /// Begins a key epoch for those who remain after the actions so far.
    package mutating func beginEpoch(
        after earlier: EpochSecret,
        for recipients: [Identifier: PublicKey],
        using generator: inout some RandomNumberGenerator
    ) {
        let secret = EpochSecret(
            space: earlier.space,
            epoch: earlier.epoch + 1,
            secret: .random(using: &generator)
        )
        add(secret, after: earlier, for: recipients, using: &generator)
    }

    private mutating func add(
        _ secret: EpochSecret,
        after earlier: EpochSecret?,
        for recipients: [Identifier: PublicKey],
        using generator: inout some RandomNumberGenerator
    ) {
        let ephemeral = AgreementKey(secret: .random(using: &generator))
        let entries = recipients.compactMap { recipient, key in
            secret.wrap(to: recipient, key, with: ephemeral).map {
                KeyWraps.Entry(recipient: recipient, wrap: $0.bytes)
            }
        }
        let chunk = KeyWraps(
            epoch: secret.epoch,
            ephemeralKey: ephemeral.publicKey,
            entries: entries
        ).chunk
        actions.append(
            .epoch(
                ControlAction.KeyEpoch(
                    number: secret.epoch,
                    secretHash: secret.hash,
                    earlier: earlier.map { secret.wrapEarlier($0, using: &generator) },
                    wraps: Digest(of: chunk)
                )
            )
        )
        chunks.append(chunk)
    }

    /// Invites by the keys of a link: a further device of the user, or so many people.
    package mutating func invite(
        _ keys: PublicKeys,
        as role: InvitedRole = .device,
        uses: UInt64 = 1,
        until expires: UnixTime,
        with secret: EpochSecret,
        using generator: inout some RandomNumberGenerator
    ) {
        let ephemeral = AgreementKey(secret: .random(using: &generator))
        guard let wrap = secret.wrap(to: keys.invitation, keys.agreement, with: ephemeral) else {
            return
        }
        actions.append(
            .invite(
                ControlAction.SpaceInvitation(
                    keys: keys,
                    role: role,
                    uses: uses,
                    expires: UInt64(max(expires.milliseconds, 0)) / 1000,
                    wrap: wrap
                )
            )
        )
    }

    /// Enters a space by an invitation.
    ///
    /// - Parameter proof: that the card is of its user; nil for the link of a device, which stands for
    ///   a vouch.
    package mutating func join(
        _ chain: ControlChain,
        as card: Card,
        by link: KeyPairs,
        proof: UserProof? = nil,
        with secret: EpochSecret,
        using generator: inout some RandomNumberGenerator
    ) {
        let id = link.publicKeys.invitation
        let permit = ControlChain.permit(to: chain.space, by: id, for: card)
        actions.append(
            .join(
                ControlAction.Joining(
                    card: card,
                    proof: proof ?? UserProof(first: chain.members[card.user]?.founder),
                    invitation: id,
                    permit: link.signing.sign(permit),
                    wraps: wraps(of: secret, for: card, in: chain, using: &generator)
                )
            )
        )
    }

    /// Adds a card that a device or a recovery code vouches for.
    package mutating func add(
        _ card: Card,
        to chain: ControlChain,
        vouchedBy voucher: KeyPairs,
        with secret: EpochSecret,
        using generator: inout some RandomNumberGenerator
    ) {
        actions.append(
            .addCard(
                ControlAction.AddedCard(
                    card: card,
                    voucher: voucher.publicKeys.device,
                    vouch: voucher.vouch(for: card),
                    wraps: wraps(of: secret, for: card, in: chain, using: &generator)
                )
            )
        )
    }

    /// Encrypts a secret for a new card and for the recovery codes.
    private func wraps(
        of secret: EpochSecret,
        for card: Card,
        in chain: ControlChain,
        using generator: inout some RandomNumberGenerator
    ) -> [SecretWrap] {
        let recovery = chain.liveCards.values.filter { $0.kind == .recovery }
            .sorted { $0.device < $1.device }
        return ([card] + recovery).compactMap { recipient in
            let ephemeral = AgreementKey(secret: .random(using: &generator))
            return secret.wrap(
                to: recipient.device,
                recipient.keys.agreement,
                with: ephemeral
            )
        }
    }
}

extension ControlPlan {
    /// Seals the actions as the next control set of a chain.
    package func seal(
        after chain: ControlChain,
        as seal: Seal,
        by keys: KeyPairs,
        at now: UnixTime
    ) -> Seal.Sealed {
        let body = ControlBody(time: now, actions: actions).encoded
        let stamp = chain.count + 1
        var seen = seal.seen
        seen.controls = chain.count
        let header = Header(
            space: seal.space,
            device: keys.publicKeys.device,
            replica: seal.replica,
            sequence: seal.sequence,
            previous: seal.previous,
            stamps: stamp...stamp,
            cellCount: 0,
            bodyHash: Digest(of: body),
            bodyByteCount: body.count,
            decodedByteCount: body.count,
            seen: seen,
            chunks: chunks.map { ChunkName(hash: Digest(of: $0), byteCount: $0.count) },
            control: ControlPlace(index: chain.count, previous: chain.head)
        )
        let upload = Envelope.sign(
            header.encoded,
            with: keys.signing,
            of: header.device,
            for: .control
        )
        return Seal.Sealed(upload: upload, body: body, hash: Digest(of: upload))
    }
}
