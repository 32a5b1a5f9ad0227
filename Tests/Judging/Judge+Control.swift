import SyncCore

extension Judge {
    /// A control set by itself: its signature, its body and its actions.
    static func controlSet(_ vector: Vector) throws -> Judgement {
        let upload = try Upload(parsing: vector.bytes("input"))
        let set = try ControlSet(upload, body: vector.bytes("body"))
        guard case .signature(let envelope) = upload.protection,
            envelope.verifies(with: try vector.publicKey("key"), of: set.author, for: .control)
        else { throw ControlError.badSignature }
        guard set.body.encoded == (try vector.bytes("body")) else {
            return Judgement(encoded: set.body.encoded)
        }
        var judgement = Judgement()
        judgement.findings = [
            "author": [.bytes(set.author.bytes)],
            "index": [.text("\(set.place.index)")],
            "hash": [.bytes(set.hash.bytes)],
            "time": [.text("\(set.body.time.milliseconds)")],
            "action": set.body.actions.map { .text($0.name) },
        ]
        return judgement
    }

    /// Control sets in turn, as a server judges them, or a reader.
    static func controlChain(_ vector: Vector) throws -> Judgement {
        var chain = ControlChain(of: try vector.identifier("space"))
        let now: Int64? = try vector.text("now").map { _ in try vector.integer("now") }
        let heads = try logged(vector)
        let results = try vector.allBytes("item").map { item in
            try result(of: item, in: &chain, now.map(UnixTime.init(milliseconds:)), heads)
        }
        let refusal = results.first { $0 != "accepted" }
        var judgement = refusal.map(Judgement.init(refused:)) ?? Judgement()
        judgement.findings = findings(of: chain)
        judgement.findings["result"] = results.map { .text($0) }
        return judgement
    }

    private static func result(
        of item: [UInt8],
        in chain: inout ControlChain,
        _ now: UnixTime?,
        _ heads: [Identifier: [Identifier: UInt64]]
    ) throws -> String {
        do {
            let item = try PushItem(decoding: item[...])
            let upload = try Upload(parsing: item.upload)
            let chunks = item.chunks.map { (Digest(of: $0), $0) }
            let named = upload.header.chunks.map { ($0.hash, $0.byteCount) }
            guard chunks.allSatisfy({ chunk in named.contains { $0 == (chunk.0, chunk.1.count) } })
            else { return "bad-encoding" }
            let wraps = try chunks.map { ($0, try KeyWraps(chunk: $1)) }
            let byHash = Dictionary(wraps) { first, _ in first }
            let set = try ControlSet(upload, body: item.body ?? [])
            try chain.apply(set, in: .init(now: now, heads: heads) { byHash[$0] })
            return "accepted"
        } catch {
            guard let reason = reason(of: error) else { throw error }
            return reason
        }
    }

    /// The last sequences in the log: a number, and the ids of a device and of a replica.
    private static func logged(
        _ vector: Vector
    ) throws -> [Identifier: [Identifier: UInt64]] {
        var heads: [Identifier: [Identifier: UInt64]] = [:]
        for (sequence, names) in try vector.numberedBytes("logged") {
            guard let device = Identifier(bytes: names.prefix(16)),
                let replica = Identifier(bytes: names.dropFirst(16))
            else { throw BadVector(vector: vector.description, field: "logged") }
            heads[device, default: [:]][replica] = sequence
        }
        return heads
    }

    private static func findings(of chain: ControlChain) -> [String: [Judgement.Finding]] {
        [
            "controls": [.text("\(chain.count)")],
            "head": [.bytes(chain.head.bytes)],
            "live": listed(chain.liveCards.keys),
            "open": listed(chain.openInvitations.keys),
            "member": chain.roles.sorted { $0.key < $1.key }
                .map { .text("\($0.key.bytes.hexadecimal) \($0.value)") },
            "epochs": [.text("\(chain.epochs.count)")],
            "needs-epoch": [.text("\(chain.needsEpoch)")],
            "adopted": decided(.adopted, chain),
            "declined": decided(.declined, chain),
        ]
    }

    private static func decided(
        _ decision: ControlChain.HeldDecision,
        _ chain: ControlChain
    ) -> [Judgement.Finding] {
        let hashes = chain.decisions.filter { $0.value == decision }.map(\.key.hash.bytes)
        return hashes.sorted { $0.lexicographicallyPrecedes($1) }.map { .bytes($0) }
    }

    private static func listed(_ ids: some Collection<Identifier>) -> [Judgement.Finding] {
        ids.isEmpty ? [.text("none")] : ids.sorted().map { .bytes($0.bytes) }
    }

    /// Whether a change set counts by a chain.
    static func answer(_ vector: Vector) throws -> Judgement {
        var chain = ControlChain(of: try vector.identifier("space"))
        for item in try vector.allBytes("item") {
            let item = try PushItem(decoding: item[...])
            try chain.apply(ControlSet(Upload(parsing: item.upload), body: item.body ?? []))
        }
        let upload = try Upload(parsing: vector.bytes("input"))
        let answer = AdmissionPolicy(chain).answer(to: upload.header, hash: upload.hash)
        var judgement = Judgement()
        if case .valid = answer {
            judgement.findings["answer"] = [.text("valid")]
        } else {
            judgement.findings["answer"] = [.text("\(answer)")]
        }
        return judgement
    }
}

extension ControlAction {
    fileprivate var name: String {
        switch self {
        case .found: "found"
        case .epoch: "epoch"
        case .invite: "invite"
        case .close: "close"
        case .join: "join"
        case .addCard: "card"
        case .revoke: "revoke"
        case .setRole: "role"
        case .remove: "remove"
        case .leave: "leave"
        case .adopt: "adopt"
        case .decline: "decline"
        case .server: "server"
        case .wrap: "wrap"
        }
    }
}
