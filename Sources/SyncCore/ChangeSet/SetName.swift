/// The name and the hash of a change set.
package struct SetName: Hashable, Sendable {
    package let space: Identifier
    package let replica: Identifier
    /// The number of the set within its (space, replica): 1, 2, 3 … without gaps.
    package let sequence: UInt64
    /// The SHA-256 of the inner object.
    package let hash: Digest

    package init(space: Identifier, replica: Identifier, sequence: UInt64, hash: Digest) {
        self.space = space
        self.replica = replica
        self.sequence = sequence
        self.hash = hash
    }

    /// Returns the CBOR that a receipt signs and that enters the hash chain.
    ///
    /// It is `[space, replica, sequence, hash, verdict]`, or the admin's device id in place of the
    /// verdict.
    package func judged(_ judgement: Judgement) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.array(5)
        encoder.bytes(space.bytes)
        encoder.bytes(replica.bytes)
        encoder.unsigned(sequence)
        encoder.bytes(hash.bytes)
        switch judgement {
        case .verdict(let verdict): encoder.unsigned(verdict.rawValue)
        case .adopted(let admin): encoder.bytes(admin.bytes)
        }
        return encoder.bytes
    }

    /// The server's decision about a set at one position of the log.
    package enum Judgement: Hashable, Sendable {
        /// The set was judged when the server received it.
        case verdict(Verdict)
        /// The held set was adopted by this device of an admin.
        case adopted(admin: Identifier)

        /// Whether replicas merge the set from this position on.
        package var counts: Bool {
            switch self {
            case .verdict(let verdict): verdict == .accepted
            case .adopted: true
            }
        }
    }
}

extension Upload {
    package var name: SetName {
        SetName(space: header.space, replica: header.replica, sequence: header.sequence, hash: hash)
    }
}

/// The server's permanent decision about a change set.
public enum Verdict: UInt64, Sendable {
    /// Every replica merges the set.
    case accepted = 0
    /// The set waits until an owner or admin adopts or refuses it.
    case held = 1
    /// No replica merges the set; its author's device lists it as rejected.
    case refused = 2
}
