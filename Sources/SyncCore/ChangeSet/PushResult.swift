/// The server's result for one push item.
package enum PushResult: Equatable, Sendable {
    /// The set has a permanent position and verdict; the reason is empty if it was accepted.
    case judged(position: UInt64, Verdict, reason: String)
    /// The item changed nothing.
    ///
    /// `problem` is one of the protocol's problem types. `sequence` is the sequence that the server
    /// expects next from this replica, or 0 if the server rejected the item without reading the
    /// log.
    case failed(problem: String, sequence: UInt64)
}

/// The last set of a replica in a log.
package struct ReplicaHead: Hashable, Sendable {
    package let sequence: UInt64
    package let hash: Digest

    package init(sequence: UInt64, hash: Digest) {
        self.sequence = sequence
        self.hash = hash
    }
}

/// The last set of a replica in a log, with what the server has of its device's signature.
package struct NamedHead: Hashable, Sendable {
    package let head: ReplicaHead
    /// The device's signature over the head (``SignedHead``); nil for a control set.
    package let signature: Signature?
    /// The number of control sets that the head names.
    package let controls: UInt64

    package init(head: ReplicaHead, signature: Signature? = nil, controls: UInt64 = 0) {
        (self.head, self.signature, self.controls) = (head, signature, controls)
    }
}
