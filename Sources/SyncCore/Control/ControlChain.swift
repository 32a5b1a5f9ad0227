/// Who is in a space and which keys count, as the accepted control sets say, in their order.
///
/// Every member and the server evaluate the same sets to the same value.
package struct ControlChain: Sendable {
    package let space: Identifier
    /// The number of control sets.
    package private(set) var count: UInt64 = 0
    /// The hash of the newest control set; zero for an empty chain.
    package private(set) var head = Digest.zero
    /// The kind of the space; nil before the founding.
    package private(set) var kind: SpaceKind?
    /// The user who founded the space; nil before the founding.
    package private(set) var user: Identifier?
    /// All users who ever were in the space, by id; of an own space the one who founded it.
    package internal(set) var members: [Identifier: KnownMember] = [:]
    /// All devices and recovery codes that ever had a card, by id.
    package internal(set) var cards: [Identifier: KnownCard] = [:]
    /// All invitations by id.
    package internal(set) var invitations: [Identifier: KnownInvitation] = [:]
    /// The key epochs, numbered from 1.
    package internal(set) var epochs: [ControlAction.KeyEpoch] = []
    /// The wraps of the newest epoch's secret that actions carry, by recipient.
    package internal(set) var wraps: [Identifier: SecretWrap] = [:]
    /// Server epochs that the chain accepts, with all predecessors that any control set names.
    package internal(set) var serverEpochs: [Identifier: [LogEnding]] = [:]
    /// What was decided on held sets.
    package internal(set) var decisions: [SetReference: HeldDecision] = [:]
    /// Whether somebody who has the newest secret lost the right to it.
    package internal(set) var needsEpoch = false
    /// The hash of each control set, by index.
    package private(set) var hashes: [Digest] = []

    package init(of space: Identifier) { self.space = space }

    /// The version of the rules.
    package static let policy: UInt64 = 1
}

extension ControlChain {
    /// The cards that may read the space: of devices and of recovery codes.
    package var liveCards: [Identifier: Card] { cards.filter(\.value.isLive).mapValues(\.card) }

    /// The invitations by which somebody can still enter.
    package var openInvitations: [Identifier: KnownInvitation] {
        invitations.filter(\.value.isOpen)
    }

    /// Whether the user can come back after the loss of every device.
    package var hasRecoveryCode: Bool { liveCards.values.contains { $0.kind == .recovery } }

    /// The ids and keys to which the secret of a new epoch is encrypted.
    package var recipients: [Identifier: PublicKey] {
        liveCards.mapValues(\.keys.agreement)
            .merging(openInvitations.mapValues(\.invitation.keys.agreement)) { $1 }
    }

    /// Returns the hash of the newest of the first `controls` control sets; nil beyond the chain.
    package func hash(ofFirst controls: UInt64) -> Digest? {
        guard controls <= count else { return nil }
        return controls == 0 ? .zero : hashes[Int(controls) - 1]
    }

    /// What a judge of control sets knows besides the chain.
    package struct Circumstances: Sendable {
        /// The judge's time, by which invitations expire; nil for a reader, who takes the server's
        /// word.
        package var now: UnixTime?
        /// Returns the wraps of a chunk; nil if they are not at hand and so not checked.
        package var wraps: @Sendable (Digest) -> KeyWraps?
        /// The last sequence in the log of each replica of a device; nil for a reader.
        package var heads: [Identifier: [Identifier: UInt64]]?

        package init(
            now: UnixTime? = nil,
            heads: [Identifier: [Identifier: UInt64]]? = nil,
            wraps: @escaping @Sendable (Digest) -> KeyWraps? = { _ in nil }
        ) {
            (self.now, self.heads, self.wraps) = (now, heads, wraps)
        }

        package static let reader = Circumstances()
    }

    /// Adds the next control set, or throws why it does not count and changes nothing.
    package mutating func apply(
        _ set: ControlSet,
        in circumstances: Circumstances = .reader
    ) throws(ControlError) {
        guard set.upload.header.space == space, set.place.index == count,
            set.place.previous == head
        else { throw .stale }
        guard let key = signingKey(of: set), set.isSigned(by: key) else { throw .badSignature }
        var next = self
        for (number, action) in set.body.actions.enumerated() {
            guard (count == 0 && number == 0) == action.isFounding else {
                throw .forbidden(.founding)
            }
            try next.perform(action, of: set, in: circumstances)
        }
        next.count += 1
        next.head = set.hash
        next.hashes.append(set.hash)
        self = next
    }

    /// The key of the author: of a live card, or of a card that the set itself brings in.
    private func signingKey(of set: ControlSet) -> PublicKey? {
        if let known = cards[set.author], known.isLive { return known.card.keys.signing }
        return set.body.actions.first?.newcomer.flatMap {
            $0.device == set.author ? $0.keys.signing : nil
        }
    }

    mutating func found(_ founding: ControlAction.Founding) {
        (kind, user) = (founding.kind, founding.card.user)
    }
}

extension ControlAction {
    fileprivate var isFounding: Bool {
        guard case .found = self else { return false }
        return true
    }

    /// The card that the action brings into the space.
    package var newcomer: Card? {
        switch self {
        case .found(let founding): founding.card
        case .join(let joining): joining.card
        case .addCard(let added): added.card
        case .epoch, .invite, .close, .revoke, .setRole, .remove, .leave, .adopt, .decline,
            .server, .wrap:
            nil
        }
    }
}

extension Identifier {
    /// The id of a space, which nobody but its founder can make.
    package init(ofSpace kind: SpaceKind, foundedBy key: PublicKey, nonce: Identifier) {
        var preimage = Preimage("wake/1/space", count: 3)
        preimage.add(Text(kind.rawValue))
        preimage.add(key.bytes)
        preimage.add(nonce)
        self = preimage.identifier
    }
}
