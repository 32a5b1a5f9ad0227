/// A request to `POST /v1/sync`: for each space, the cursor and the change sets to push.
///
/// CBOR: `{1: [space-request, …]}`; a space request is `{0: space, 1: replica, 2: epoch, 3:
/// position, ? 4: [push-item as bytes, …], ? 5: byte limit}`.
package struct SyncRequest: Equatable, Sendable {
    /// The requests, one for each space.
    package var spaces: [SpaceRequest]

    /// The part of a request for one space.
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

    package init(spaces: [SpaceRequest]) {
        self.spaces = spaces
    }

    package var encoded: [UInt8] {
        var encoder = CBOREncoder()
        encoder.map(1)
        encoder.unsigned(1)
        encoder.array(spaces.count)
        for space in spaces { space.encode(into: &encoder) }
        return encoder.bytes
    }

    /// Decodes a request; does not decode the push items.
    package init(decoding bytes: [UInt8]) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        var spaces: [SpaceRequest]?
        try decoder.integerMap { (key, decoder) throws(CBORError) in
            guard key == 1 else { return false }
            var requests: [SpaceRequest] = []
            for _ in 0..<(try decoder.array()) {
                requests.append(try SpaceRequest(from: &decoder))
            }
            spaces = requests
            return true
        }
        try decoder.finish()
        guard let spaces else { throw .unexpected(offset: 0) }
        self.spaces = spaces
    }
}

extension SyncRequest.SpaceRequest {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        encoder.map(4 + (items.isEmpty ? 0 : 1) + (byteLimit == nil ? 0 : 1))
        encoder.unsigned(0)
        encoder.bytes(space.bytes)
        encoder.unsigned(1)
        encoder.bytes(replica.bytes)
        encoder.unsigned(2)
        encoder.bytes(cursor.epoch.bytes)
        encoder.unsigned(3)
        encoder.unsigned(cursor.position)
        if !items.isEmpty {
            encoder.unsigned(4)
            encoder.array(items.count)
            for item in items { encoder.bytes(item) }
        }
        if let byteLimit {
            encoder.unsigned(5)
            encoder.unsigned(byteLimit)
        }
    }

    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        var ids: [UInt64: Identifier] = [:]
        var position: UInt64?
        var items: [[UInt8]] = []
        var byteLimit: Int?
        try decoder.integerMap { (key, decoder) throws(CBORError) in
            switch key {
            case 0, 1, 2: ids[key] = try decoder.identifier()
            case 3: position = try decoder.unsigned()
            case 4:
                for _ in 0..<(try decoder.nonEmptyArray()) {
                    items.append(Array(try decoder.bytes()))
                }
            case 5: byteLimit = try decoder.count()
            default: return false
            }
            return true
        }
        guard let space = ids[0], let replica = ids[1], let epoch = ids[2], let position else {
            throw .unexpected(offset: decoder.offset)
        }
        self.init(
            space: space,
            replica: replica,
            cursor: LogPosition(epoch: epoch, position: position),
            items: items,
            byteLimit: byteLimit
        )
    }
}
