/// The vouches for the devices of the user: the collection `vouch` of the own space, and the control sets
/// there by which devices entered.
package struct Vouches: ReplicaPart {
    package let context: ReplicaContext

    /// Signs that the devices which entered by a link of this one are the user's; returns whether it
    /// signed anything.
    ///
    /// In the own space the link stands for the vouch; only shared spaces ask for it.
    func vouchForNewcomers(at now: Moment) throws -> Bool {
        let own = try spaces.own()
        let me = try identity.current()
        let collection = CollectionSchema.vouch.name
        let field = VouchField.signature(of: me.device)
        let newcomers = try controls.chain(of: own).cards.values.filter { known in
            guard known.isLive, case .link(of: me.device) = known.term.way else { return false }
            return try rows.cells(collection, .id(known.card.device), in: own)[field] == nil
        }
        guard !newcomers.isEmpty else { return false }
        let edits = newcomers.map(\.card).map { card in
            let key = Key(collection, .id(card.device), field)
            return Edit(key, .bytes(me.keys.vouch(for: card).bytes))
        }
        try rows.apply(edits, in: try spaces.number(ofSpace: own), at: now)
        return true
    }

    /// The line of vouches from the device that founded the user to this one.
    ///
    /// Throws ``ReplicaError/notVouched`` if no line of vouches leads to this device yet.
    package func proof() throws -> UserProof {
        let me = try identity.current()
        if me.keys.publicKeys.user == me.user { return UserProof(first: nil) }
        let cards = try controls.chain(of: try spaces.own()).cards.mapValues(\.card)
        guard let founder = cards.values.first(where: { $0.keys.signing.user == me.user }),
            let mine = cards[me.device]
        else { throw ReplicaError.notVouched }
        var (reached, lines) = ([founder.device], [founder.device: [Vouch]()])
        let signatures = try signatures()
        while let voucher = reached.popLast(), lines[mine.device] == nil {
            for (device, signature) in signatures[voucher, default: [:]] where lines[device] == nil
            {
                guard let card = cards[device],
                    cards[voucher].map({ card.isVouched(by: $0.keys.signing, signature) }) == true
                else { continue }
                let vouch = Vouch(keys: card.keys, kind: card.kind, signature: signature)
                lines[device] = lines[voucher, default: []] + [vouch]
                reached.append(device)
            }
        }
        let proof = UserProof(first: founder.keys.signing, vouches: lines[mine.device] ?? [])
        guard proof.proves(mine) else { throw ReplicaError.notVouched }
        return proof
    }

    /// The signatures of each device about others.
    private func signatures() throws -> [Identifier: [Identifier: Signature]] {
        let own = try spaces.own()
        var found: [Identifier: [Identifier: Signature]] = [:]
        for action in try controls.mergedSets(in: own).flatMap(\.body.actions) {
            guard case .addCard(let added) = action else { continue }
            found[added.voucher, default: [:]][added.card.device] = added.vouch
        }
        for device in try controls.chain(of: own).cards.keys {
            let cells = try rows.cells(CollectionSchema.vouch.name, .id(device), in: own)
            for (field, cell) in cells {
                guard let voucher = VouchField.voucher(of: field), let bytes = cell.value.bytes,
                    let signature = Signature(bytes: bytes)
                else { continue }
                found[voucher, default: [:]][device] = signature
            }
        }
        return found
    }
}

extension ReplicaPart {
    /// The vouches for the devices of the user.
    package var vouches: Vouches { Vouches(context: context) }
}
