/// The statement of a device, or of a recovery code, whose it is; it signs it itself.
package struct Card: Hashable, Sendable {
    package let keys: PublicKeys
    /// The user to whom the device belongs.
    package let user: Identifier
    package let kind: CardKind
    /// The signature by the card's own signing key.
    package let signature: Signature

    /// Creates and signs a card.
    package init(_ pairs: KeyPairs, of user: Identifier, as kind: CardKind) {
        keys = pairs.publicKeys
        (self.user, self.kind) = (user, kind)
        signature = pairs.signing.sign(
            CardStatement(keys: keys, user: user, kind: kind).preimage(for: .card)
        )
    }

    /// The id of the device or of the recovery code.
    package var device: Identifier { keys.device }

    /// Whether the card's own key signed it.
    package var isSigned: Bool {
        keys.signing.verifies(signature, of: statement.preimage(for: .card))
    }

    var statement: CardStatement { CardStatement(keys: keys, user: user, kind: kind) }
}

/// What holds the keys of a card.
package enum CardKind: String, Sendable {
    case device
    /// A code on paper, from which the keys follow (``RecoveryCode``).
    case recovery
}

/// The content of a card, which its own key signs, and which another device of the user vouches for.
struct CardStatement: Hashable, Sendable {
    let keys: PublicKeys
    let user: Identifier
    let kind: CardKind

    enum Purpose: String {
        case card = "wake/1/card"
        case vouch = "wake/1/vouch"
    }

    func preimage(for purpose: Purpose) -> [UInt8] {
        var preimage = Preimage(Text(purpose.rawValue), count: 4)
        preimage.add(user)
        preimage.add(Text(kind.rawValue))
        preimage.add(keys)
        return preimage.bytes
    }
}

extension KeyPairs {
    /// Vouches that a card is of the same user as the card of these keys.
    package func vouch(for card: Card) -> Signature {
        signing.sign(card.statement.preimage(for: .vouch))
    }
}

extension Card {
    /// Whether the owner of `key` vouched that this card is of the same user.
    package func isVouched(by key: PublicKey, _ signature: Signature) -> Bool {
        key.verifies(signature, of: statement.preimage(for: .vouch))
    }
}

/// One vouch of a user proof: the keys that it is for, and the signature by the keys before.
package struct Vouch: Hashable, Sendable {
    package let keys: PublicKeys
    package let kind: CardKind
    package let signature: Signature

    package init(keys: PublicKeys, kind: CardKind, signature: Signature) {
        (self.keys, self.kind, self.signature) = (keys, kind, signature)
    }
}

/// The line of vouches from the signing key that founds a user to a card of that user.
///
/// Without a first key, the card founds its user itself.
package struct UserProof: Hashable, Sendable {
    package let first: PublicKey?
    package let vouches: [Vouch]

    package init(first: PublicKey?, vouches: [Vouch] = []) {
        (self.first, self.vouches) = (first, vouches)
    }

    /// The greatest number of vouches in a line; each costs a verification.
    static let vouchLimit = 64

    /// The key that founds the user of a card that the line proves.
    func founder(of card: Card) -> PublicKey { first ?? card.keys.signing }

    /// Whether the line is whole: each key vouches for the next, and the last one is the card's.
    package func proves(_ card: Card) -> Bool {
        guard var key = first else {
            return vouches.isEmpty && card.keys.signing.user == card.user
        }
        guard key.user == card.user, vouches.count <= Self.vouchLimit,
            vouches.last?.keys == card.keys, vouches.last?.kind == card.kind
        else { return false }
        for vouch in vouches {
            let statement = CardStatement(keys: vouch.keys, user: card.user, kind: vouch.kind)
            guard key.verifies(vouch.signature, of: statement.preimage(for: .vouch)) else {
                return false
            }
            key = vouch.keys.signing
        }
        return true
    }
}

extension Card {
    func encode(into encoder: inout CBOREncoder) {
        encoder.array(4)
        keys.encode(into: &encoder)
        encoder.bytes(user.bytes)
        encoder.text(Text(kind.rawValue))
        encoder.bytes(signature.bytes)
    }

    init(from decoder: inout CBORDecoder) throws(CBORError) {
        try decoder.array(count: 4)
        keys = try PublicKeys(from: &decoder)
        user = try decoder.identifier()
        kind = try decoder.cardKind()
        signature = try decoder.signature()
    }
}

extension UserProof {
    func encode(into encoder: inout CBOREncoder) {
        encoder.array(vouches.count + (first == nil ? 0 : 1))
        if let first { encoder.bytes(first.bytes) }
        for vouch in vouches { vouch.encode(into: &encoder) }
    }

    init(from decoder: inout CBORDecoder) throws(CBORError) {
        let count = try decoder.array()
        first = count == 0 ? nil : try decoder.publicKey()
        var vouches: [Vouch] = []
        for _ in 0..<max(count - 1, 0) { vouches.append(try Vouch(from: &decoder)) }
        self.vouches = vouches
    }
}

extension Vouch {
    func encode(into encoder: inout CBOREncoder) {
        encoder.array(3)
        keys.encode(into: &encoder)
        encoder.text(Text(kind.rawValue))
        encoder.bytes(signature.bytes)
    }

    init(from decoder: inout CBORDecoder) throws(CBORError) {
        try decoder.array(count: 3)
        keys = try PublicKeys(from: &decoder)
        kind = try decoder.cardKind()
        signature = try decoder.signature()
    }
}

extension CBORDecoder {
    fileprivate mutating func cardKind() throws(CBORError) -> CardKind {
        let start = offset
        guard let kind = CardKind(rawValue: try text().string) else {
            throw .unexpected(offset: start)
        }
        return kind
    }
}
