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
}

extension ReconcileRequest {
    package var encoded: [UInt8] {
        CBOREncoder.map { map in
            map.add(0, space) { $0.bytes($1.bytes) }
            map.add(1, vector.isEmpty ? nil : vector) { $0.vector($1) }
            map.add(2, list: items) { $0.bytes($1) }
        }
    }

    /// Decodes a request; does not decode the refill items.
    package init(decoding bytes: [UInt8]) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.openMap()
        let space = try decoder.has(0) ? decoder.identifier() : nil
        vector = try decoder.has(1) ? decoder.vector() : [:]
        items = try decoder.has(2) ? decoder.byteStrings() : []
        try decoder.closeMap()
        try decoder.finish()
        guard let space else { throw .unexpected(offset: 0) }
        self.space = space
    }
}

/// The reply to a ``ReconcileRequest``.
///
/// CBOR: `{0: epoch, ? 1: [[replica, sequence, hash], …], ? 2: [result, …]}`. Results are encoded
/// as in ``SyncReply``.
package struct ReconcileReply: Equatable, Sendable {
    package var epoch: Identifier
    /// The log's head of each requested replica; replicas that the log does not know are left out.
    package var heads: [Identifier: ReplicaHead] = [:]
    /// The result of each refill item, in the order of the request.
    package var results: [PushResult] = []

    package init(epoch: Identifier) { self.epoch = epoch }

    package var encoded: [UInt8] {
        CBOREncoder.map { map in
            map.add(0, epoch) { $0.bytes($1.bytes) }
            map.add(1, heads.isEmpty ? nil : heads) { $0.vector($1) }
            map.add(2, list: results) { $1.encode(into: &$0) }
        }
    }

    package init(decoding bytes: [UInt8]) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.openMap()
        let epoch = try decoder.has(0) ? decoder.identifier() : nil
        heads = try decoder.has(1) ? decoder.vector() : [:]
        results = try decoder.has(2) ? decoder.list(PushResult.init(from:)) : []
        try decoder.closeMap()
        try decoder.finish()
        guard let epoch else { throw .unexpected(offset: 0) }
        self.epoch = epoch
    }
}

extension CBOREncoder {
    fileprivate mutating func vector(_ heads: [Identifier: ReplicaHead]) {
        array(heads.sorted { $0.key < $1.key }) {
            $0.array(3)
            $0.bytes($1.key.bytes)
            $0.unsigned($1.value.sequence)
            $0.bytes($1.value.hash.bytes)
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
