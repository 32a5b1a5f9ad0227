import SyncCore

extension Judge {
    static func id(_ vector: Vector) throws -> Judgement {
        let id: Identifier
        switch try vector.required("purpose") {
        case "user": id = try vector.publicKey("signing").user
        case "row":
            let user = try vector.identifier("user")
            id = RowMaker(user: user, salt: try vector.bytes("salt"))
                .row(in: try vector.identifier("space"))
        case "space":
            let signing = try vector.publicKey("signing")
            guard let kind = SpaceKind(rawValue: try vector.required("space-kind")) else {
                throw BadVector(vector: vector.description, field: "space-kind")
            }
            let nonce = try vector.identifier("nonce")
            id = Identifier(ofSpace: kind, foundedBy: signing, nonce: nonce)
        case let purpose:
            let signing = try vector.publicKey("signing")
            let agreement = try vector.publicKey("agreement")
            let keys = PublicKeys(signing: signing, agreement: agreement)
            id = purpose == "device" ? keys.device : keys.invitation
        }
        return judgement(["id": [.bytes(id.bytes)]])
    }

    static func card(_ vector: Vector) throws -> Judgement {
        let (card, encoded) = try readCard(try vector.bytes("input"))
        guard card.isSigned else { return Judgement(refused: "bad-signature") }
        return judgement(
            [
                "device": [.bytes(card.device.bytes)],
                "user": [.bytes(card.user.bytes)],
                "card-kind": [.text(card.kind.rawValue)],
            ],
            encoded
        )
    }

    static func vouch(_ vector: Vector) throws -> Judgement {
        let (card, _) = try readCard(try vector.bytes("card"))
        guard let signature = Signature(bytes: try vector.bytes("input")) else {
            return Judgement(refused: "unexpected")
        }
        let isVouched = card.isVouched(by: try vector.publicKey("key"), signature)
        return isVouched ? Judgement() : Judgement(refused: "bad-signature")
    }

    static func userProof(_ vector: Vector) throws -> Judgement {
        let input = try vector.bytes("input")
        try checkItem(input)
        let (none, own) = (Identifier.zero.bytes, Array("own".utf8))
        let card = try vector.bytes("card")
        let parts = [[0x60 | UInt8(own.count)] + own, encoded(none), [1], card, input]
        let (action, encoded) = try read("found", parts, input)
        guard case .found(let founding) = action else { return Judgement(refused: "unexpected") }
        guard founding.proof.proves(founding.card) else {
            return Judgement(refused: "forbidden-proof")
        }
        return judgement(["vouches": [.text("\(founding.proof.vouches.count)")]], encoded)
    }

    static func head(_ vector: Vector) throws -> Judgement {
        let name = SetName(
            space: try vector.identifier("space"),
            replica: try vector.identifier("replica"),
            sequence: try vector.integer("sequence"),
            hash: try vector.digest("hash")
        )
        let head = SignedHead(
            name: name,
            device: try vector.identifier("device"),
            control: try vector.digest("control")
        )
        guard let signature = Signature(bytes: try vector.bytes("input")) else {
            return Judgement(refused: "unexpected")
        }
        let isSigned = head.isSigned(by: try vector.publicKey("key"), signature)
        return isSigned ? Judgement() : Judgement(refused: "bad-signature")
    }

    static func recoveryCode(_ vector: Vector) throws -> Judgement {
        guard let code = RecoveryCode(try vector.required("text")) else {
            return Judgement(refused: "malformed")
        }
        let keys = code.keys.publicKeys
        return judgement([
            "secret": [.bytes(code.secret.bytes)],
            "signing": [.bytes(keys.signing.bytes)],
            "agreement": [.bytes(keys.agreement.bytes)],
            "written": [.text("\(code)")],
        ])
    }
}

extension Judge {
    static func wrap(_ vector: Vector) throws -> Judgement {
        let input = try vector.bytes("input")
        try checkItem(input)
        let (action, encoded) = try read("wrap", [[0], [0x81] + input], input)
        guard case .wrap(_, let wraps) = action else { return Judgement(refused: "unexpected") }
        let key = AgreementKey(secret: Secret(bytes: try vector.bytes("agreement")))
        let opened = EpochSecret(
            of: try vector.identifier("space"),
            epoch: try vector.integer("epoch"),
            in: wraps[0],
            with: key
        )
        return judgement(opened, ["to": [.bytes(wraps[0].recipient.bytes)]], encoded)
    }

    static func earlier(_ vector: Vector) throws -> Judgement {
        let secret = EpochSecret(
            space: try vector.identifier("space"),
            epoch: try vector.integer("epoch"),
            secret: Secret(bytes: try vector.bytes("secret"))
        )
        let input = try vector.bytes("input")
        return judgement(secret.earlier(in: input), [:], input)
    }

    private static func judgement(
        _ opened: EpochSecret?,
        _ findings: [String: [Judgement.Finding]],
        _ encoded: [UInt8]
    ) -> Judgement {
        guard let opened else { return Judgement(refused: "wrong-wrap") }
        let secret: [String: [Judgement.Finding]] = [
            "opened": [.bytes(opened.secret.bytes)],
            "secret-hash": [.bytes(opened.hash.bytes)],
        ]
        return judgement(findings.merging(secret) { $1 }, encoded)
    }

    private static func judgement(
        _ findings: [String: [Judgement.Finding]],
        _ encoded: [UInt8]? = nil
    ) -> Judgement {
        var judgement = Judgement(encoded: encoded)
        judgement.findings = findings
        return judgement
    }
}

/// Cards, proofs and wraps, which Wake reads inside of actions only.
extension Judge {
    private static func readCard(_ input: [UInt8]) throws -> (Card, encoded: [UInt8]) {
        try checkItem(input)
        let signature = [UInt8](repeating: 0, count: 64)
        let parts = [input, encoded(Identifier.zero.bytes), encoded(signature), [0x80]]
        let (action, encoded) = try read("card", parts, input)
        guard let card = action.newcomer else { throw ControlError.wrongBody }
        return (card, encoded)
    }

    /// Checks that the input is exactly one item, which alone decides where the next one begins.
    private static func checkItem(_ input: [UInt8]) throws {
        var decoder = CBORDecoder(input)
        _ = try decoder.item()
        try decoder.finish()
    }

    /// Reads an action of these parts; returns the input if it is written again as it was read.
    private static func read(
        _ name: Text,
        _ parts: [[UInt8]],
        _ input: [UInt8]
    ) throws -> (ControlAction, encoded: [UInt8]) {
        var encoder = CBOREncoder()
        encoder.array(2)
        encoder.unsigned(0)
        encoder.array(1)
        encoder.array(parts.count + 1)
        encoder.text(name)
        for part in parts { encoder.encoded(part) }
        let body = try ControlBody(decoding: encoder.bytes)
        return (body.actions[0], body.encoded == encoder.bytes ? input : body.encoded)
    }

    private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.bytes(bytes)
        return encoder.bytes
    }
}
