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
        case .setRole(let setting): try setRole(setting, by: set, circumstances)
        case .remove(let removal): try remove(removal, by: set, circumstances)
        case .leave(let cuts): try leave(cuts, by: set, circumstances)
        case .adopt(let sets): try decide(on: sets, .adopted, by: set)
        case .decline(let sets): try decide(on: sets, .declined, by: set)
        case .server(let epoch, let past):
            try requireRole(.owner, of: set.author)
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
        guard founding.policy == Self.policy else { throw .forbidden(.unsupported) }
        let id = Identifier(
            ofSpace: founding.kind,
            foundedBy: card.keys.signing,
            nonce: founding.nonce
        )
        guard id == space, card.device == set.author, card.kind == .device else {
            throw .forbidden(.founding)
        }
        // The first device of a user founds the own space.
        guard founding.kind == .shared || founding.proof.first == nil, founding.proof.proves(card)
        else { throw .forbidden(.proof) }
        found(founding)
        try admit(card, by: set, .founder)
        add(.owner, to: card.user, foundedBy: founding.proof.founder(of: card), by: set)
        guard set.body.actions.contains(where: \.isEpoch) else { throw .forbidden(.epoch) }
    }

    private mutating func begin(
        _ epoch: ControlAction.KeyEpoch,
        by set: ControlSet,
        _ circumstances: Circumstances
    ) throws(ControlError) {
        try requireRole(.admin, of: set.author)
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
        let id = invitation.keys.invitation
        guard invitations[id] == nil, invitation.wrap.recipient == id, invitation.uses > 0, hasRoom
        else { throw .forbidden(.invitation) }
        switch (kind, invitation.role) {
        case (.own, .device):
            try requireRole(.owner, of: set.author)
            guard invitation.uses == 1 else { throw .forbidden(.invitation) }
        case (.shared, .member(let role)):
            // A link may be read by others on its way; it makes nobody an owner.
            guard try requireRole(.admin, of: set.author).mayGovern(role), role < .owner else {
                throw .forbidden(.role)
            }
        default: throw .forbidden(.invitation)
        }
        invitations[id] = KnownInvitation(
            invitation: invitation,
            maker: set.author,
            usesLeft: invitation.uses
        )
        wraps[id] = invitation.wrap
    }

    private mutating func close(_ ids: [Identifier], by set: ControlSet) throws(ControlError) {
        try requireRole(.admin, of: set.author)
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
        let permit = Self.permit(to: space, by: id, for: card)
        guard known.invitation.keys.signing.verifies(joining.permit, of: permit) else {
            throw .forbidden(.invitation)
        }
        switch known.invitation.role {
        case .device:
            // The link of the user's own device stands for the vouch, which that device makes later.
            guard card.user == user, let founder = members[card.user]?.founder,
                joining.proof == UserProof(first: founder)
            else { throw .forbidden(.proof) }
        case .member(let role):
            guard members[card.user]?.role == nil else { throw .forbidden(.invitation) }
            guard joining.proof.proves(card), isTrusted(joining.proof) else {
                throw .forbidden(.proof)
            }
            add(role, to: card.user, foundedBy: joining.proof.founder(of: card), by: set)
        }
        try admit(card, by: set, .link(of: known.maker))
        invitations[id]?.usesLeft -= 1
        try add(joining.wraps)
    }

    /// Whether a line of vouches leads around the cards that were revoked here.
    ///
    /// Whoever has the keys of a revoked device could vouch for devices of their own. Only a card that
    /// was in the space before needs no other voucher.
    private func isTrusted(_ proof: UserProof) -> Bool {
        let revoked = Set(cards.values.filter(\.isRevoked).map(\.card.keys.signing))
        let vouchers = [proof.first].compactMap { $0 } + proof.vouches.map(\.keys.signing)
        return zip(vouchers, proof.vouches).allSatisfy { voucher, vouch in
            !revoked.contains(voucher) || cards[vouch.keys.device] != nil
        }
    }

    /// Makes a user a member.
    private mutating func add(
        _ role: Role,
        to user: Identifier,
        foundedBy founder: PublicKey,
        by set: ControlSet
    ) {
        let change = KnownMember.Change(index: set.place.index, role: role, cuts: nil)
        members[user, default: KnownMember(founder: founder, changes: [])].changes.append(change)
    }

    private mutating func addCard(
        _ added: ControlAction.AddedCard,
        by set: ControlSet
    ) throws(ControlError) {
        let card = added.card
        guard let voucher = cards[added.voucher], voucher.isLive, voucher.card.user == card.user,
            card.isVouched(by: voucher.card.keys.signing, added.vouch)
        else { throw .forbidden(.author) }
        // With an old vouch a device that was lost would follow its user back into the space.
        let isNewcomer =
            set.author == card.device && card.kind == .device && cards[card.device] == nil
        guard set.author == added.voucher || isNewcomer else { throw .forbidden(.author) }
        try admit(card, by: set, .voucher(added.voucher))
        try add(added.wraps)
    }

    private mutating func admit(
        _ card: Card,
        by set: ControlSet,
        _ way: KnownCard.Way
    ) throws(ControlError) {
        let known = cards[card.device]
        // A device of a user who was removed and is invited again comes back with its card.
        guard card.isSigned, known.map({ !$0.isLive && !$0.isRevoked }) ?? hasOwnKey(card),
            hasRoom, liveCards(of: card.user).count < Self.cardLimit
        else { throw .forbidden(.card) }
        let term = KnownCard.Term(admitted: set.place.index, time: set.body.time, way: way)
        let earlier = known.map { $0.earlier + [$0.term] } ?? []
        cards[card.device] = KnownCard(card: card, term: term, earlier: earlier)
    }

    /// The most devices and recovery codes that a user has in a space at a time.
    static let cardLimit = 64

    /// Whether a key epoch can have one recipient more.
    private var hasRoom: Bool {
        let cards = cards.values.count(where: \.isLive)
        return cards + invitations.values.count(where: \.isOpen) < KeyWraps.entryLimit
    }

    /// Whether no other card has the signing key.
    ///
    /// Otherwise the thief of a revoked device could come back with its signing key and a new agreement
    /// key, which together are another device.
    private func hasOwnKey(_ card: Card) -> Bool {
        !cards.values.contains { $0.card.keys.signing == card.keys.signing }
    }

    /// Keeps the first wrap for each recipient: a later one would replace it by one that does not open.
    private mutating func add(_ wraps: [SecretWrap]) throws(ControlError) {
        for wrap in wraps {
            let id = wrap.recipient
            guard cards[id]?.isLive == true || invitations[id]?.isOpen == true else {
                throw .forbidden(.card)
            }
            self.wraps[id] = self.wraps[id] ?? wrap
        }
    }

    func requireCard(_ author: Identifier) throws(ControlError) {
        guard cards[author]?.isLive == true else { throw .forbidden(.author) }
    }

    /// Returns the role of the author, which must be a device.
    @discardableResult
    func requireRole(
        _ least: Role = .viewer,
        of author: Identifier
    ) throws(ControlError) -> Role {
        guard let role = role(ofDevice: author) else { throw .forbidden(.author) }
        guard role >= least else { throw .forbidden(.role) }
        return role
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
