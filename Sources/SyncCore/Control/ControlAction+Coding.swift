extension ControlAction {
    func encode(into encoder: inout CBOREncoder) {
        switch self {
        case .found(let founding): founding.encode(into: &encoder)
        case .epoch(let epoch): epoch.encode(into: &encoder)
        case .invite(let invitation): invitation.encode(into: &encoder)
        case .close(let invitations):
            encoder.name("close", 1)
            encoder.array(invitations) { $0.bytes($1.bytes) }
        case .join(let joining): joining.encode(into: &encoder)
        case .addCard(let added): added.encode(into: &encoder)
        case .revoke(let revocation): revocation.encode(into: &encoder)
        case .setRole(let setting): setting.encode(into: &encoder)
        case .remove(let removal): removal.encode(into: &encoder)
        case .leave(let cuts):
            encoder.name("leave", 1)
            encoder.array(cuts) { $1.encode(into: &$0) }
        case .adopt(let sets):
            encoder.name("adopt", 1)
            encoder.array(sets) { $1.encode(into: &$0) }
        case .decline(let sets):
            encoder.name("decline", 1)
            encoder.array(sets) { $1.encode(into: &$0) }
        case .server(let epoch, let past):
            encoder.name("server", 2)
            encoder.bytes(epoch.bytes)
            encoder.array(past) { $1.encode(into: &$0) }
        case .wrap(let epoch, let wraps):
            encoder.name("wrap", 2)
            encoder.unsigned(epoch)
            encoder.array(wraps) { $1.encode(into: &$0) }
        }
    }

    /// Throws ``ControlError/unknownAction(_:)`` for an action of a later version.
    init(from decoder: inout CBORDecoder) throws {
        let start = decoder.offset
        let count = try decoder.array()
        let name = try decoder.text().string
        self = try Self.action(name, from: &decoder)
        // The counts of the named actions; a wrong one would leave the array's items misread.
        guard count == parts + 1 else { throw CBORError.unexpected(offset: start) }
    }

    private static func action(
        _ name: String,
        from decoder: inout CBORDecoder
    ) throws -> ControlAction {
        switch name {
        case "found": .found(try Founding(from: &decoder))
        case "epoch": .epoch(try KeyEpoch(from: &decoder))
        case "invite": .invite(try SpaceInvitation(from: &decoder))
        case "close": .close(try decoder.list { (d) throws(CBORError) in try d.identifier() })
        case "join": .join(try Joining(from: &decoder))
        case "card": .addCard(try AddedCard(from: &decoder))
        case "revoke": .revoke(try Revocation(from: &decoder))
        case "role": .setRole(try RoleSetting(from: &decoder))
        case "remove": .remove(try Removal(from: &decoder))
        case "leave": .leave(try decoder.list(allowsNone: true, SetReference.init(from:)))
        case "adopt": .adopt(try decoder.list(SetReference.init(from:)))
        case "decline": .decline(try decoder.list(SetReference.init(from:)))
        case "server":
            .server(
                epoch: try decoder.identifier(),
                past: try decoder.list(allowsNone: true, LogEnding.init(from:))
            )
        case "wrap":
            .wrap(epoch: try decoder.unsigned(), try decoder.list(SecretWrap.init(from:)))
        default: throw ControlError.unknownAction(name)
        }
    }

    /// The number of items after the name.
    private var parts: Int {
        switch self {
        case .close, .leave, .adopt, .decline: 1
        case .server, .wrap: 2
        case .revoke, .remove: 3
        case .epoch, .addCard, .setRole: 4
        case .found, .invite, .join: 5
        }
    }
}

extension ControlAction.Founding {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        encoder.name("found", 5)
        encoder.text(Text(kind.rawValue))
        encoder.bytes(nonce.bytes)
        encoder.unsigned(policy)
        card.encode(into: &encoder)
        proof.encode(into: &encoder)
    }

    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        let start = decoder.offset
        guard let kind = SpaceKind(rawValue: try decoder.text().string) else {
            throw .unexpected(offset: start)
        }
        self.kind = kind
        nonce = try decoder.identifier()
        policy = try decoder.unsigned()
        card = try Card(from: &decoder)
        proof = try UserProof(from: &decoder)
    }
}

extension ControlAction.KeyEpoch {
    private static let earlierByteCount = 60

    fileprivate func encode(into encoder: inout CBOREncoder) {
        encoder.name("epoch", 4)
        encoder.unsigned(number)
        encoder.bytes(secretHash.bytes)
        if let earlier { encoder.bytes(earlier) } else { encoder.null() }
        encoder.bytes(wraps.bytes)
    }

    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        number = try decoder.unsigned()
        secretHash = try decoder.digest()
        let start = decoder.offset
        switch try decoder.value() {
        case .null: earlier = nil
        case .bytes(let bytes) where bytes.count == Self.earlierByteCount: earlier = bytes
        default: throw .unexpected(offset: start)
        }
        guard number > 0, (earlier == nil) == (number == 1) else {
            throw .unexpected(offset: start)
        }
        wraps = try decoder.digest()
    }
}

extension ControlAction.SpaceInvitation {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        encoder.name("invite", 5)
        keys.encode(into: &encoder)
        encoder.text(Text(role.name))
        encoder.unsigned(uses)
        encoder.unsigned(expires)
        wrap.encode(into: &encoder)
    }

    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        keys = try PublicKeys(from: &decoder)
        let start = decoder.offset
        guard let role = InvitedRole(try decoder.text().string) else {
            throw .unexpected(offset: start)
        }
        self.role = role
        uses = try decoder.unsigned()
        expires = try decoder.unsigned()
        wrap = try SecretWrap(from: &decoder)
    }
}

extension ControlAction.Joining {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        encoder.name("join", 5)
        card.encode(into: &encoder)
        proof.encode(into: &encoder)
        encoder.bytes(invitation.bytes)
        encoder.bytes(permit.bytes)
        encoder.array(wraps) { $1.encode(into: &$0) }
    }

    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        card = try Card(from: &decoder)
        proof = try UserProof(from: &decoder)
        invitation = try decoder.identifier()
        permit = try decoder.signature()
        wraps = try decoder.list(allowsNone: true, SecretWrap.init(from:))
    }
}

extension ControlAction.AddedCard {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        encoder.name("card", 4)
        card.encode(into: &encoder)
        encoder.bytes(voucher.bytes)
        encoder.bytes(vouch.bytes)
        encoder.array(wraps) { $1.encode(into: &$0) }
    }

    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        card = try Card(from: &decoder)
        voucher = try decoder.identifier()
        vouch = try decoder.signature()
        wraps = try decoder.list(allowsNone: true, SecretWrap.init(from:))
    }
}

extension ControlAction.Revocation {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        encoder.name("revoke", 3)
        encoder.array(devices) { $0.bytes($1.bytes) }
        encoder.array(cuts) { $1.encode(into: &$0) }
        encoder.bool(isRetroactive)
    }

    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        devices = try decoder.list { (decoder) throws(CBORError) in try decoder.identifier() }
        cuts = try decoder.list(allowsNone: true, SetReference.init(from:))
        isRetroactive = try decoder.bool()
    }
}

extension ControlAction.RoleSetting {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        encoder.name("role", 4)
        encoder.bytes(user.bytes)
        encoder.text(Text(role.rawValue))
        encoder.array(cuts) { $1.encode(into: &$0) }
        encoder.bool(isRetroactive)
    }

    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        user = try decoder.identifier()
        let start = decoder.offset
        guard let role = Role(rawValue: try decoder.text().string) else {
            throw .unexpected(offset: start)
        }
        self.role = role
        cuts = try decoder.list(allowsNone: true, SetReference.init(from:))
        isRetroactive = try decoder.bool()
    }
}

extension ControlAction.Removal {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        encoder.name("remove", 3)
        encoder.bytes(user.bytes)
        encoder.array(cuts) { $1.encode(into: &$0) }
        encoder.bool(isRetroactive)
    }

    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        user = try decoder.identifier()
        cuts = try decoder.list(allowsNone: true, SetReference.init(from:))
        isRetroactive = try decoder.bool()
    }
}

extension SetReference {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        encoder.array(3)
        encoder.bytes(replica.bytes)
        encoder.unsigned(sequence)
        encoder.bytes(hash.bytes)
    }

    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        try decoder.array(count: 3)
        self.init(
            replica: try decoder.identifier(),
            sequence: try decoder.unsigned(),
            hash: try decoder.digest()
        )
    }
}

extension CBOREncoder {
    /// Writes the head of an action with `count` items after its name.
    fileprivate mutating func name(_ name: Text, _ count: Int) {
        array(count + 1)
        text(name)
    }
}
