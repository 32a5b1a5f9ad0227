import SyncCore

/// Who is who, and what is encrypted for whom.
///
/// The first byte says what the others are: `c` a card; `p` a card and its user proof; `w` a secret
/// that is encrypted for somebody; `e` the secret of an earlier epoch; `s` a head with a signature;
/// `r` a recovery code as a person types it.
enum IdentityTarget {
    private static let user = Identifier(number: 4)
    private static let secret = EpochSecret(
        space: Identifier(number: 1),
        epoch: 2,
        secret: Secret(bytes: [UInt8](repeating: 5, count: 32))
    )
    private static let ephemeral = AgreementKey(
        secret: Secret(bytes: [UInt8](repeating: 6, count: 32))
    )

    static func check(_ input: [UInt8]) {
        let bytes = Array(input.dropFirst())
        switch input.first {
        case UInt8(ascii: "c"): checkCard(bytes)
        case UInt8(ascii: "p"): checkProof(bytes)
        case UInt8(ascii: "w"): checkWrap(bytes)
        case UInt8(ascii: "e"): checkEarlier(bytes)
        case UInt8(ascii: "s"): checkHead(bytes)
        case UInt8(ascii: "r"): checkCode(String(decoding: bytes, as: UTF8.self))
        default: break
        }
    }

    private static func checkCard(_ bytes: [UInt8]) {
        let action = action("card", count: 4) {
            $0.encoded(bytes)
            $0.bytes(user.bytes)
            $0.bytes([UInt8](repeating: 0, count: 64))
            $0.array(0)
        }
        guard case .addCard(let added)? = action else { return }
        let card = added.card
        let own = Card(Authors.first, of: card.user, as: card.kind)
        precondition(own.isSigned, "what was signed verifies")
        precondition(
            card.keys != own.keys || card.isSigned == (card == own),
            "only what we signed is ours"
        )
        let voucher = Authors.second
        let vouch = voucher.vouch(for: card)
        let key = voucher.publicKeys.signing
        precondition(card.isVouched(by: key, vouch), "what was vouched for verifies")
        precondition(card.keys == own.keys || !own.isVouched(by: key, vouch), "for one card")
        precondition(!own.isVouched(by: own.keys.signing, own.signature), "a card is no vouch")
    }

    private static func checkProof(_ bytes: [UInt8]) {
        let action = action("join", count: 5) {
            $0.encoded(bytes)
            $0.bytes(user.bytes)
            $0.bytes([UInt8](repeating: 0, count: 64))
            $0.array(0)
        }
        guard case .join(let joining)? = action else { return }
        let (card, proof) = (joining.card, joining.proof)
        guard proof.proves(card) else { return }
        precondition((proof.first ?? card.keys.signing).user == card.user, "it begins at the user")
        precondition(
            proof.first == nil || proof.vouches.last?.keys == card.keys,
            "it ends at the card"
        )
        let other = Card(Authors.second, of: user, as: card.kind)
        precondition(other.user == card.user || !proof.proves(other), "it is for one card")
    }

    private static func checkWrap(_ bytes: [UInt8]) {
        let action = action("wrap", count: 2) {
            $0.unsigned(2)
            $0.array(1)
            $0.encoded(bytes)
        }
        guard case .wrap(_, let wraps)? = action, let wrap = wraps.first else { return }
        let key = Authors.first.agreement
        let own = secret.wrap(to: wrap.recipient, key.publicKey, with: ephemeral)
        let opened = EpochSecret(of: secret.space, epoch: secret.epoch, in: wrap, with: key)
        precondition((opened != nil) == (wrap == own), "only what we encrypted is ours")
        precondition(opened == nil || opened == secret, "what was encrypted comes back")
        let answer = secret.wrap(to: wrap.recipient, wrap.ephemeral, with: ephemeral)
        precondition(
            (answer == nil) == (ephemeral.agree(with: wrap.ephemeral) == nil),
            "a key of small order shares nothing"
        )
    }

    private static func checkEarlier(_ bytes: [UInt8]) {
        let first = EpochSecret(
            space: secret.space,
            epoch: 1,
            secret: Secret(bytes: [UInt8](repeating: 8, count: 32))
        )
        var random = SplitMix64(seed: UInt64(bytes.count))
        let own = secret.wrapEarlier(first, using: &random)
        precondition(secret.earlier(in: own) == first, "what was encrypted comes back")
        precondition(first.earlier(in: own) == nil, "nothing comes before the first epoch")
        guard let opened = secret.earlier(in: bytes) else { return }
        precondition(opened.epoch == 1 && opened.space == secret.space, "it is the one before")
    }

    private static func checkHead(_ bytes: [UInt8]) {
        guard bytes.count == 184,
            let space = Identifier(bytes: bytes[..<16]),
            let device = Identifier(bytes: bytes[16..<32]),
            let replica = Identifier(bytes: bytes[32..<48]),
            let hash = Digest(bytes: bytes[56..<88]), let control = Digest(bytes: bytes[88..<120]),
            let given = Signature(bytes: bytes[120...])
        else { return }
        let sequence = bytes[48..<56].reduce(0) { $0 << 8 | UInt64($1) } >> 1
        func head(_ sequence: UInt64, _ control: Digest) -> SignedHead {
            let name = SetName(space: space, replica: replica, sequence: sequence, hash: hash)
            return SignedHead(name: name, device: device, control: control)
        }
        let signed = head(sequence, control)
        let own = signed.sign(with: Authors.first.signing)
        let key = Authors.first.publicKeys.signing
        precondition(signed.isSigned(by: key, own), "what was signed verifies")
        precondition(signed.isSigned(by: key, given) == (given == own), "only our head is ours")
        precondition(!head(sequence ^ 1, control).isSigned(by: key, own), "of one sequence")
        precondition(!head(sequence, hash).isSigned(by: key, own) || hash == control, "of one set")
    }

    private static func checkCode(_ typed: String) {
        guard let code = RecoveryCode(typed) else { return }
        let printed = code.description
        precondition(RecoveryCode(printed) == code, "a code comes back")
        precondition(RecoveryCode(printed.uppercased()) == code, "in capitals, too")
        precondition(RecoveryCode(printed.filter { $0 != "-" }) == code, "and without groups")
        let groups = printed.split(separator: "-", omittingEmptySubsequences: false)
        precondition(groups.map(\.count) == [Int](repeating: 4, count: 8), "it is in groups")
        precondition(code.secret.bytes.count == 16, "a secret has 16 bytes")
        let mistyped = (printed.first == "0" ? "1" : "0") + printed.dropFirst()
        precondition(RecoveryCode(mistyped) == nil, "a typing error is told")
    }

    /// The one action of a body, whose items after the name are written by `write`.
    private static func action(
        _ name: Text,
        count: Int,
        _ write: (inout CBOREncoder) -> Void
    ) -> ControlAction? {
        var encoder = CBOREncoder()
        encoder.array(2)
        encoder.unsigned(0)
        encoder.array(1)
        encoder.array(count + 1)
        encoder.text(name)
        write(&encoder)
        guard let body = try? ControlBody(decoding: encoder.bytes) else { return nil }
        precondition(body.encoded == encoder.bytes, "an action has one encoding")
        return body.actions.first
    }
}
