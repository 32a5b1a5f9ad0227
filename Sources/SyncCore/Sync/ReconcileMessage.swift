/// A request to `POST /v1/reconcile`, by which a device refills a server whose log lacks change
/// sets.
///
/// CBOR: `{0: space, ? 1: [[replica, sequence, hash], …], ? 2: [refill-item as bytes, …]}`. The
/// version vector (key 1) requests the server's head of each listed replica. Sets below that head
/// may still be missing, because lost sets return in any order. Refill items (key 2) are in chain
/// order.
package struct ReconcileRequest: Equatable, Sendable {
    package var space: Identifier
    /// The version vector: the last set of each replica that the device knows.
    package var vector: [Identifier: ReplicaHead] = [:]
    /// The encoded refill items; each is a byte string of its own, so a malformed one affects no
    /// other.
    package var items: [[UInt8]] = []

    package init(space: Identifier) {
        self.space = space
    }

    package var encoded: [UInt8] {
        var encoder = CBOREncoder()
        encoder.map(1 + (vector.isEmpty ? 0 : 1) + (items.isEmpty ? 0 : 1))
        encoder.unsigned(0)
        encoder.bytes(space.bytes)
        if !vector.isEmpty {
            encoder.unsigned(1)
            encoder.vector(vector)
        }
        if !items.isEmpty {
            encoder.unsigned(2)
            encoder.array(items.count)
            for item in items { encoder.bytes(item) }
        }
        return encoder.bytes
    }

    /// Decodes a request; does not decode the refill items.
    package init(decoding bytes: [UInt8]) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        var space: Identifier?
        var vector: [Identifier: ReplicaHead] = [:]
        var items: [[UInt8]] = []
        try decoder.integerMap { (key, decoder) throws(CBORError) in
            switch key {
            case 0: space = try decoder.identifier()
            case 1: vector = try decoder.vector()
            case 2:
                for _ in 0..<(try decoder.nonEmptyArray()) {
                    items.append(Array(try decoder.bytes()))
                }
            default: return false
            }
            return true
        }
        try decoder.finish()
        guard let space else { throw .unexpected(offset: 0) }
        (self.space, self.vector, self.items) = (space, vector, items)
    }
}

/// The reply to a ``ReconcileRequest``.
///
/// CBOR: `{0: epoch, ? 1: [[replica, sequence, hash], …], ? 2: [result, …]}`. Results are encoded
/// as in ``SyncReply``.
package struct ReconcileReply: Equatable, Sendable {
    /// The epoch of the server's log.
    package var epoch: Identifier
    /// The log's head of each requested replica; replicas that the log does not know are left out.
    package var heads: [Identifier: ReplicaHead] = [:]
    /// The result of each refill item, in the order of the request.
    package var results: [PushResult] = []

    package init(epoch: Identifier) {
        self.epoch = epoch
    }

    package var encoded: [UInt8] {
        var encoder = CBOREncoder()
        encoder.map(1 + (heads.isEmpty ? 0 : 1) + (results.isEmpty ? 0 : 1))
        encoder.unsigned(0)
        encoder.bytes(epoch.bytes)
        if !heads.isEmpty {
            encoder.unsigned(1)
            encoder.vector(heads)
        }
        if !results.isEmpty {
            encoder.unsigned(2)
            encoder.array(results.count)
            for result in results { result.encode(into: &encoder) }
        }
        return encoder.bytes
    }

    /// Decodes a reply.
    package init(decoding bytes: [UInt8]) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        var epoch: Identifier?
        var heads: [Identifier: ReplicaHead] = [:]
        var results: [PushResult] = []
        try decoder.integerMap { (key, decoder) throws(CBORError) in
            switch key {
            case 0: epoch = try decoder.identifier()
            case 1: heads = try decoder.vector()
            case 2:
                for _ in 0..<(try decoder.nonEmptyArray()) {
                    results.append(try PushResult(from: &decoder))
                }
            default: return false
            }
            return true
        }
        try decoder.finish()
        guard let epoch else { throw .unexpected(offset: 0) }
        (self.epoch, self.heads, self.results) = (epoch, heads, results)
    }
}

extension CBOREncoder {
    fileprivate mutating func vector(_ heads: [Identifier: ReplicaHead]) {
        array(heads.count)
        for (replica, head) in heads.sorted(by: { $0.key < $1.key }) {
            array(3)
            bytes(replica.bytes)
            unsigned(head.sequence)
            bytes(head.hash.bytes)
        }
    }
}

extension CBORDecoder {
    fileprivate mutating func vector() throws(CBORError) -> [Identifier: ReplicaHead] {
        var heads: [Identifier: ReplicaHead] = [:]
        for _ in 0..<(try nonEmptyArray()) {
            try array(count: 3)
            let replica = try identifier()
            heads[replica] = ReplicaHead(sequence: try unsigned(), hash: try digest())
        }
        return heads
    }
}
