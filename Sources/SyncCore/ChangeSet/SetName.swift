/// The name of a change set and the hash of the bytes that go by it.
package struct SetName: Hashable, Sendable {
    /// What is shared as a whole.
    package let space: Identifier
    /// The incarnation of the writer's database.
    package let replica: Identifier
    /// 1, 2, 3 … for each (space, replica).
    package let sequence: UInt64
    /// The SHA-256 of the inner object.
    package let hash: Digest

    package init(space: Identifier, replica: Identifier, sequence: UInt64, hash: Digest) {
        self.space = space
        self.replica = replica
        self.sequence = sequence
        self.hash = hash
    }

    /// What a receipt signs and a chain hash takes in:
    /// `[space, replica, sequence, hash, verdict]`, or the admin's id in place of a verdict.
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

    /// What became of a set at one position of the log.
    package enum Judgement: Hashable, Sendable {
        /// It was judged as it came.
        case verdict(Verdict)
        /// It had been held, and this admin's device adopted it.
        case adopted(admin: Identifier)

        /// Whether every replica merges the set from here on.
        package var counts: Bool {
            switch self {
            case .verdict(let verdict): verdict == .accepted
            case .adopted: true
            }
        }
    }
}

extension Upload {
    /// The set's name.
    package var name: SetName {
        SetName(
            space: header.space,
            replica: header.replica,
            sequence: header.sequence,
            hash: hash
        )
    }
}

/// What the server decided about a set, for ever.
public enum Verdict: UInt64, Sendable {
    /// It is merged by every replica.
    case accepted = 0
    /// An admin can adopt or refuse it.
    case held = 1
    /// Its changes go back to their author's list.
    case refused = 2
}
