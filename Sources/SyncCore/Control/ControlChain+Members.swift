extension ControlChain {
    /// A user and the roles that they had in the space, one after another.
    package struct KnownMember: Hashable, Sendable {
        /// The key that founds the user.
        package let founder: PublicKey
        /// At least one, by ascending index.
        package internal(set) var changes: [Change]

        /// A change of the member's role.
        package struct Change: Hashable, Sendable {
            /// The index of the control set that made it.
            package let index: UInt64
            /// Nil from when the user is no member any more.
            package let role: Role?
            /// The last set that counts of each of the member's replicas; nil if the role rose.
            package let cuts: [Identifier: SetReference]?
        }

        /// The present role; nil for a user who left or was removed.
        package var role: Role? { changes.last?.role }

        /// Returns the role at a number of control sets.
        package func role(at controls: UInt64) -> Role? {
            changes.last { $0.index < controls }?.role
        }
    }

    /// The users who are in the space, with their roles.
    package var roles: [Identifier: Role] { members.compactMapValues(\.role) }

    /// The role of a device's user, if the device has a live card.
    package func role(ofDevice device: Identifier) -> Role? {
        guard let card = cards[device], card.isLive, card.card.kind == .device else { return nil }
        return members[card.card.user]?.role
    }

    /// The devices and recovery codes of a user that are in the space.
    package func liveCards(of user: Identifier) -> [Identifier] {
        cards.values.filter { $0.isLive && $0.card.user == user }.map(\.card.device).sorted()
    }

    /// A card, and when it was in the space.
    package struct KnownCard: Hashable, Sendable {
        package let card: Card
        /// The last time that it was in the space, which may go on.
        package internal(set) var term: Term
        /// The times before, of a user who came back.
        package internal(set) var earlier: [Term] = []

        /// A time during which a card is in the space.
        package struct Term: Hashable, Sendable {
            /// The index of the control set that admitted the card.
            package let admitted: UInt64
            /// The author's time of that set.
            package let time: UnixTime
            package let way: Way
            package internal(set) var end: End?
        }

        /// How a card came into the space.
        package enum Way: Hashable, Sendable {
            case founder
            /// By a link that this device made.
            case link(of: Identifier)
            case voucher(Identifier)
        }

        /// Why a card is not in the space any more.
        package struct End: Hashable, Sendable {
            /// The index of the control set that ended it.
            package let index: UInt64
            package let time: UnixTime
            package let author: Identifier
            /// The last set that counts of each replica.
            package let cuts: [Identifier: SetReference]
            /// Whether the card itself was revoked, for ever; otherwise its user left or was removed.
            package let isRevocation: Bool
        }

        package var end: End? { term.end }
        /// All ends, the newest last.
        var ends: [End] { (earlier + [term]).compactMap(\.end) }
        package var isLive: Bool { term.end == nil }
        /// Whether the card can never come back.
        package var isRevoked: Bool { term.end?.isRevocation == true }

        /// The device or the code that let it in; nil for the founder.
        package var voucher: Identifier? {
            switch term.way {
            case .founder: nil
            case .link(let maker): maker
            case .voucher(let voucher): voucher
            }
        }

        /// Returns the time in the space to which a number of control sets belongs.
        package func term(at controls: UInt64) -> Term? {
            ([term] + earlier.reversed()).first { $0.admitted < controls }
        }
    }

    /// An invitation and what became of it.
    package struct KnownInvitation: Hashable, Sendable {
        package let invitation: ControlAction.SpaceInvitation
        /// The device that made the link.
        package let maker: Identifier
        package internal(set) var usesLeft: UInt64
        package internal(set) var isClosed = false

        package var isOpen: Bool { usesLeft > 0 && !isClosed }
    }
}
