/// What lets a device into a space: the secret of a link, a recovery code, or keys with a card.
struct Door: Sendable {
    let id: Identifier
    let keys: KeyPairs
    /// The space; nil if the server finds it by the card.
    let space: Identifier?
    let anchor: Link.Anchor?
    let isLink: Bool
    /// Whether this device entered through it before, which the server has lost.
    var wasUsed = false
    /// The secrets that are known already; nil unless the door is this device's own card.
    var secrets: SpaceKeys?
    var isOwnCard: Bool { secrets != nil }

    /// - Parameter link: the keys of a link by which this device entered the space.
    init(again link: KeyPairs, into space: Identifier) {
        keys = link
        (id, isLink, wasUsed) = (link.publicKeys.invitation, true, true)
        (self.space, anchor) = (space, nil)
    }

    init(_ invitation: Link.Invitation, secret: LinkSecret) {
        keys = secret.keys
        (id, isLink) = (keys.publicKeys.invitation, true)
        (space, anchor) = (invitation.space, invitation.anchor)
    }

    init(_ code: RecoveryCode) {
        keys = code.keys
        (id, isLink) = (keys.publicKeys.device, false)
        (space, anchor) = (nil, nil)
    }

    /// A shared space that another device of the user knows.
    init(_ card: KeyPairs, of space: Identifier, _ anchor: SpaceAnchor) {
        keys = card
        (id, isLink, self.space) = (card.publicKeys.device, false, space)
        self.anchor = Link.Anchor(index: anchor.index, hash: Array(anchor.hash.bytes.prefix(16)))
    }

    init(_ card: KeyPairs, of space: Identifier, _ secrets: SpaceKeys) {
        keys = card
        (id, isLink) = (card.publicKeys.device, false)
        (self.space, anchor, self.secrets) = (space, nil, secrets)
    }
}
