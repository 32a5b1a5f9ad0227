import SyncCore

/// Control sets.
///
/// The first byte says what the others are: `u` an upload as it comes; `h` a header, which is
/// signed; `b` a body; `c` the sets of a chain, `[* [author, body]]`, which are put in their places
/// and signed, so that what stands behind the signatures is reached.
enum ControlTarget {
    private static let setLimit = 16
    /// The time of the vectors, by which invitations expire.
    private static let now = UnixTime(milliseconds: 1_777_000_000_000)

    static func check(_ input: [UInt8]) {
        let bytes = Array(input.dropFirst())
        switch input.first {
        case UInt8(ascii: "u"): checkUpload(bytes)
        case UInt8(ascii: "h"): checkHeader(bytes)
        case UInt8(ascii: "b"): checkBody(bytes)
        case UInt8(ascii: "c"): checkChain(bytes)
        default: break
        }
    }

    private static func checkUpload(_ bytes: [UInt8]) {
        guard let upload = try? Upload(parsing: bytes),
            case .signature(let envelope) = upload.protection
        else { return }
        precondition(upload.bytes == bytes, "signed bytes travel verbatim")
        precondition(upload.isControl && upload.macs == nil, "only control sets are signed")
        precondition(upload.hash == Digest(of: bytes), "the hash covers the signature")
        let author = Authors.first
        let (key, device) = (author.publicKeys.signing, author.publicKeys.device)
        let isOurs = envelope.verifies(with: key, of: device, for: .control)
        let again = signed(Array(envelope.payload), by: author)
        precondition(isOurs == (again == bytes), "only what we signed is ours")
        precondition(
            !isOurs || !envelope.verifies(with: key, of: device, for: .space),
            "a signature has one purpose"
        )
    }

    private static func checkHeader(_ bytes: [UInt8]) {
        guard let upload = try? Upload(parsing: signed(bytes, by: Authors.first)) else { return }
        precondition(bytes.count <= Limits.headerByteLimit, "headers have a limit")
        let header = upload.header
        precondition(header.control != nil, "a signed set has a place in the chain")
        precondition((try? Header(decoding: header.encoded[...])) == header, "headers come back")
        precondition(
            header.encoded == bytes || !IntegerKeys(of: bytes).are(in: 0...31),
            "a header of this version has one encoding"
        )
        precondition((try? ChangeSet(logged: upload, body: [])) == nil, "no change set")
    }

    private static func checkBody(_ bytes: [UInt8]) {
        guard let body = try? ControlBody(decoding: bytes) else { return }
        precondition(body.encoded == bytes, "a body has one encoding")
        precondition(!body.actions.isEmpty, "a body has actions")
    }

    private static func checkChain(_ bytes: [UInt8]) {
        guard let sets = try? sets(in: bytes), let space = space(foundedBy: sets) else { return }
        var chain = ControlChain(of: space)
        for set in sets.prefix(setLimit) {
            guard let set = controlSet(set.body, by: set.author, after: chain) else { continue }
            var (next, judged) = (chain, chain)
            let isTaken = (try? next.apply(set)) != nil
            let isGood = (try? judged.apply(set, in: .init(now: now))) != nil
            precondition(isTaken || !isGood, "a reader takes what a judge takes")
            guard isTaken else {
                precondition(next.count == chain.count && next.head == chain.head, "no half sets")
                precondition(next.cards == chain.cards, "a set that breaks a rule changes nothing")
                continue
            }
            check(next, after: chain, set)
            chain = next
        }
    }

    /// The laws for a chain that took a further set.
    private static func check(_ next: ControlChain, after chain: ControlChain, _ set: ControlSet) {
        precondition(next.count == chain.count + 1 && next.head == set.hash, "a set has its place")
        precondition(next.hash(ofFirst: next.count) == next.head, "the head is the last hash")
        precondition(next.hash(ofFirst: next.count + 1) == nil, "nothing comes after the head")
        var again = next
        precondition((try? again.apply(set)) == nil, "a set counts once")
        precondition(next.roles.values.contains(.owner), "an owner remains")
        precondition(!next.liveCards.isEmpty, "somebody remains")
        precondition(next.epochs.map(\.number) == next.epochs.indices.map { UInt64($0 + 1) })
        precondition(
            next.wraps.keys.allSatisfy { next.cards[$0] != nil || next.invitations[$0] != nil },
            "secrets are encrypted for those who are known"
        )
        for (id, known) in chain.cards {
            let later = next.cards[id]
            precondition(later?.card == known.card, "cards stay")
            precondition(!known.isRevoked || later == known, "a revocation is final")
        }
        for (id, known) in next.cards { check(known, id, of: next, isNew: chain.cards[id] == nil) }
    }

    private static func check(
        _ known: ControlChain.KnownCard,
        _ id: Identifier,
        of chain: ControlChain,
        isNew: Bool
    ) {
        let card = known.card
        precondition(card.device == id && chain.members[card.user] != nil, "cards are of members")
        precondition(chain.kind == .shared || card.user == chain.user, "an own space has one user")
        precondition(!isNew || card.isSigned, "cards are signed")
        precondition(known.term.admitted < chain.count, "cards come by a set")
        var header = Header.sample(space: chain.space, device: id)
        header.seen.controls = chain.count
        let answer = AdmissionPolicy(chain).answer(to: header, hash: .zero)
        precondition(
            answer.role == chain.role(ofDevice: id),
            "who has a live card may write by the role of its user"
        )
        header.seen.controls = (known.earlier.first ?? known.term).admitted
        let earlier = AdmissionPolicy(chain).answer(to: header, hash: .zero)
        precondition(earlier == .void, "nobody wrote before the card")
    }
}

extension ControlTarget {
    private typealias Sealed = (author: KeyPairs, body: [UInt8])

    private static func sets(in bytes: [UInt8]) throws(CBORError) -> [Sealed] {
        var decoder = CBORDecoder(bytes)
        var sets: [Sealed] = []
        for _ in 0..<(try decoder.array()) {
            try decoder.array(count: 2)
            let author = Authors.keys(of: try decoder.unsigned())
            sets.append((author, Array(try decoder.bytes())))
        }
        try decoder.finish()
        return sets
    }

    /// The space that the first set founds.
    private static func space(foundedBy sets: [Sealed]) -> Identifier? {
        guard let first = sets.first, let body = try? ControlBody(decoding: first.body),
            case .found(let founding)? = body.actions.first
        else { return nil }
        return Identifier(
            ofSpace: founding.kind,
            foundedBy: founding.card.keys.signing,
            nonce: founding.nonce
        )
    }

    /// Seals a body as the next set of a chain; nil if the bytes are not a control body.
    private static func controlSet(
        _ body: [UInt8],
        by author: KeyPairs,
        after chain: ControlChain
    ) -> ControlSet? {
        guard let actions = try? ControlBody(decoding: body).actions else { return nil }
        let chunks = actions.compactMap { action in
            if case .epoch(let epoch) = action { epoch.wraps } else { nil }
        }
        guard chunks.count <= Limits.chunkReferenceLimit else { return nil }
        var header = Header.sample(
            space: chain.space,
            device: author.publicKeys.device,
            naming: chunks
        )
        header.stamps = chain.count + 1...chain.count + 1
        header.bodyHash = Digest(of: body)
        (header.bodyByteCount, header.decodedByteCount) = (body.count, body.count)
        header.seen.controls = chain.count
        header.control = ControlPlace(index: chain.count, previous: chain.head)
        guard let upload = try? Upload(parsing: signed(header.encoded, by: author)),
            let set = try? ControlSet(upload, body: body)
        else { preconditionFailure("a set that was sealed can be read") }
        precondition(set.author == author.publicKeys.device, "the author is who signed")
        return set
    }

    private static func signed(_ header: [UInt8], by author: KeyPairs) -> [UInt8] {
        Envelope.sign(
            header,
            with: author.signing,
            of: author.publicKeys.device,
            for: .control
        )
    }
}

extension AdmissionPolicy.Answer {
    fileprivate var role: Role? {
        guard case .valid(let role) = self else { return nil }
        return role
    }
}
