/// A request to `POST /v1/sync`: for each space, the cursor and the change sets to push.
///
/// CBOR: `{1: [space-request, …]}`; a space request is `{0: space, 1: replica, 2: epoch, 3:
/// position, ? 4: [push-item as bytes, …], ? 5: byte limit}`.
package struct SyncRequest: Equatable, Sendable {
    package var spaces: [SpaceRequest]

    package struct SpaceRequest: Equatable, Sendable {
        package var space: Identifier
        /// The requesting replica, whose head the server returns.
        package var replica: Identifier
        /// The position up to which the replica has merged the log.
        package var cursor: LogPosition
        /// The encoded push items; each is a byte string of its own, so a malformed one affects no
        /// other.
        package var items: [[UInt8]]
        /// The limit for the entries in the reply, in bytes; nil for the server's limit.
        package var byteLimit: Int?
    }

    package init(spaces: [SpaceRequest]) { self.spaces = spaces }

    package var encoded: [UInt8] {
        CBOREncoder.map { map in
            map.add(1, spaces) { $0.array($1) { $1.encode(into: &$0) } }
        }
    }

    /// Decodes a request; does not decode the push items.
    package init(decoding bytes: [UInt8]) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.openMap()
        let spaces =
            try decoder.has(1)
            ? decoder.list(allowsNone: true, SpaceRequest.init(from:)) : nil
        try decoder.closeMap()
        try decoder.finish()
        guard let spaces else { throw .unexpected(offset: 0) }
        self.spaces = spaces
    }
}

extension SyncRequest.SpaceRequest {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        encoder.map { map in
            map.add(0, space) { $0.bytes($1.bytes) }
            map.add(1, replica) { $0.bytes($1.bytes) }
            map.add(2, cursor.epoch) { $0.bytes($1.bytes) }
            map.add(3, cursor.position) { $0.unsigned($1) }
            map.add(4, list: items) { $0.bytes($1) }
            map.add(5, byteLimit) { $0.unsigned($1) }
        }
    }

    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        try decoder.openMap()
        let space = try decoder.has(0) ? decoder.identifier() : nil
        let replica = try decoder.has(1) ? decoder.identifier() : nil
        let epoch = try decoder.has(2) ? decoder.identifier() : nil
        let position = try decoder.has(3) ? decoder.unsigned() : nil
        items = try decoder.has(4) ? decoder.byteStrings() : []
        byteLimit = try decoder.has(5) ? decoder.count() : nil
        try decoder.closeMap()
        guard let space, let replica, let epoch, let position else {
            throw .unexpected(offset: decoder.offset)
        }
        (self.space, self.replica) = (space, replica)
        cursor = LogPosition(epoch: epoch, position: position)
    }
}
