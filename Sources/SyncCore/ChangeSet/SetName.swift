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
    /// It is `[space, replica, sequence, hash, verdict]`.
    package func judged(_ verdict: Verdict) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.array(5)
        encoder.bytes(space.bytes)
        encoder.bytes(replica.bytes)
        encoder.unsigned(sequence)
        encoder.bytes(hash.bytes)
        encoder.unsigned(verdict.rawValue)
        return encoder.bytes
    }
}

extension Upload {
    package var name: SetName {
        SetName(space: header.space, replica: header.replica, sequence: header.sequence, hash: hash)
    }
}

/// The server's permanent decision on a change set.
public enum Verdict: UInt64, Sendable {
    /// Every replica merges the set.
    case accepted = 0
    /// No replica merges the set until an owner or admin adopts it.
    case held = 1
    /// No replica merges the set; its author's device lists it as rejected.
    case refused = 2
}
