extension ControlChain {
    /// Performs one action of a set whose signature was verified, or throws which rule forbids it.
    mutating func perform(
        _ action: ControlAction,
        of set: ControlSet,
        in circumstances: Circumstances
    ) throws(ControlError) {
        switch action {
        case .found(let founding): try found(founding, by: set)
        case .epoch(let epoch): try begin(epoch, by: set, circumstances)
        case .invite(let invitation): try invite(invitation, by: set)
        case .close(let invitations): try close(invitations, by: set)
        case .join(let joining): try join(joining, by: set, circumstances)
        case .addCard(let added): try addCard(added, by: set)
        case .revoke(let revocation): try revoke(revocation, by: set, circumstances)
        case .server(let epoch, let past):
            try requireDevice(set.author)
            let known = Set(serverEpochs[epoch, default: []].map(\.position.epoch))
            serverEpochs[epoch, default: []] +=
                past.filter { !known.contains($0.position.epoch) }
        case .wrap(let epoch, let wraps):
            try requireCard(set.author)
            guard epoch == UInt64(epochs.count) else { throw .forbidden(.epoch) }
            try add(wraps)
        }
    }

    private mutating func found(
        _ founding: ControlAction.Founding,
        by set: ControlSet
    ) throws(ControlError) {
        let card = founding.card
        guard founding.kind == .own, founding.policy == Self.policy else {
            throw .forbidden(.unsupported)
        }
        let id = Identifier(
            ofSpace: founding.kind,
            foundedBy: card.keys.signing,
            nonce: founding.nonce
        )
        guard id == space, card.device == set.author, card.kind == .device else {
            throw .forbidden(.founding)
        }
        guard founding.proof.first == nil, founding.proof.proves(card) else {
            throw .forbidden(.proof)
        }
        found(founding)
        try admit(card, by: set, .founder)
        guard set.body.actions.contains(where: \.isEpoch) else { throw .forbidden(.epoch) }
    }

    private mutating func begin(
        _ epoch: ControlAction.KeyEpoch,
        by set: ControlSet,
        _ circumstances: Circumstances
    ) throws(ControlError) {
        try requireDevice(set.author)
        guard epoch.number == UInt64(epochs.count) + 1,
            set.upload.header.chunks.contains(where: { $0.hash == epoch.wraps })
        else { throw .forbidden(.epoch) }
        if let wraps = circumstances.wraps(epoch.wraps) {
            let ids = recipients.keys.sorted()
            guard wraps.epoch == epoch.number, wraps.entries.map(\.recipient) == ids else {
                throw .forbidden(.epoch)
            }
        }
        epochs.append(epoch)
        (wraps, needsEpoch) = ([:], false)
    }

    private mutating func invite(
        _ invitation: ControlAction.SpaceInvitation,
        by set: ControlSet
    ) throws(ControlError) {
        try requireDevice(set.author)
        let id = invitation.keys.invitation
        guard invitation.role == .device, invitation.uses == 1, invitations[id] == nil,
            invitation.wrap.recipient == id
        else { throw .forbidden(.invitation) }
        invitations[id] = KnownInvitation(
            invitation: invitation,
            maker: set.author,
            usesLeft: invitation.uses
        )
        wraps[id] = invitation.wrap
    }

    private mutating func close(_ ids: [Identifier], by set: ControlSet) throws(ControlError) {
        try requireDevice(set.author)
        for id in ids {
            guard invitations[id]?.isOpen == true else { throw .forbidden(.invitation) }
            invitations[id]?.isClosed = true
        }
        // Who has the link has the secret.
        needsEpoch = true
    }

    private mutating func join(
        _ joining: ControlAction.Joining,
        by set: ControlSet,
        _ circumstances: Circumstances
    ) throws(ControlError) {
        let (card, id) = (joining.card, joining.invitation)
        guard let known = invitations[id], known.isOpen else { throw .forbidden(.invitation) }
        if let now = circumstances.now {
            guard !known.invitation.isExpired(at: now) else { throw .forbidden(.invitation) }
        }
        guard card.device == set.author, card.kind == .device else { throw .forbidden(.card) }
        // The link of the user's own device stands for the vouch, which that device makes later.
        guard let founder, joining.proof.first == founder, joining.proof.vouches.isEmpty else {
            throw .forbidden(.proof)
        }
        let permit = Self.permit(to: space, by: id, for: card)
        guard known.invitation.keys.signing.verifies(joining.permit, of: permit) else {
            throw .forbidden(.invitation)
        }
        try admit(card, by: set, .link(of: known.maker))
        invitations[id]?.usesLeft -= 1
        try add(joining.wraps)
    }

    private mutating func addCard(
        _ added: ControlAction.AddedCard,
        by set: ControlSet
    ) throws(ControlError) {
        let card = added.card
        guard let voucher = cards[added.voucher], voucher.isLive,
            card.isVouched(by: voucher.card.keys.signing, added.vouch)
        else { throw .forbidden(.author) }
        guard set.author == added.voucher || set.author == card.device && card.kind == .device
        else { throw .forbidden(.author) }
        try admit(card, by: set, .voucher(added.voucher))
        try add(added.wraps)
    }

    private mutating func admit(
        _ card: Card,
        by set: ControlSet,
        _ way: KnownCard.Way
    ) throws(ControlError) {
        guard card.isSigned, card.user == user, cards[card.device] == nil else {
            throw .forbidden(.card)
        }
        cards[card.device] = KnownCard(
            card: card,
            admitted: set.place.index,
            time: set.body.time,
            way: way
        )
    }

    private mutating func revoke(
        _ revocation: ControlAction.Revocation,
        by set: ControlSet,
        _ circumstances: Circumstances
    ) throws(ControlError) {
        try requireCard(set.author)
        let cuts = Dictionary(revocation.cuts.map { ($0.replica, $0) }) { first, _ in first }
        for id in revocation.devices {
            guard let known = cards[id], known.isLive, mayRevoke(known, set.author) else {
                throw .forbidden(.revocation)
            }
            let heads = circumstances.heads?[id] ?? [:]
            let isBelow = heads.contains { replica, last in
                cuts[replica]?.sequence ?? 0 < last
            }
            guard !isBelow || revocation.isRetroactive else { throw .forbidden(.cut) }
            cards[id]?.end = KnownCard.End(
                index: set.place.index,
                time: set.body.time,
                author: set.author,
                cuts: cuts
            )
            for (link, invitation) in invitations where invitation.maker == id {
                invitations[link]?.isClosed = true
            }
        }
        guard !liveCards.isEmpty else { throw .forbidden(.revocation) }
        needsEpoch = true
    }

    /// A device may revoke devices; a recovery code only itself, and nobody else may revoke it.
    private func mayRevoke(_ card: KnownCard, _ author: Identifier) -> Bool {
        let isOfDevice = card.card.kind == .device && cards[author]?.card.kind == .device
        return isOfDevice || card.card.device == author
    }

    private mutating func add(_ wraps: [SecretWrap]) throws(ControlError) {
        let recipients = recipients
        for wrap in wraps {
            guard recipients[wrap.recipient] != nil else { throw .forbidden(.card) }
            self.wraps[wrap.recipient] = wrap
        }
    }

    private func requireCard(_ author: Identifier) throws(ControlError) {
        guard cards[author]?.isLive == true else { throw .forbidden(.author) }
    }

    private func requireDevice(_ author: Identifier) throws(ControlError) {
        try requireCard(author)
        guard cards[author]?.card.kind == .device else { throw .forbidden(.author) }
    }

    /// What the key of an invitation signs about who enters by it.
    package static func permit(
        to space: Identifier,
        by invitation: Identifier,
        for card: Card
    ) -> [UInt8] {
        var preimage = Preimage("wake/1/join", count: 5)
        preimage.add(space)
        preimage.add(invitation)
        preimage.add(card.user)
        preimage.add(card.keys)
        return preimage.bytes
    }
}

extension ControlAction {
    fileprivate var isEpoch: Bool {
        guard case .epoch = self else { return false }
        return true
    }
}
