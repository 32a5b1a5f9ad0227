/// A request to `POST /v1/entries`, by which a device asks for entries of the log again whose set came
/// without a right body, or which it could not read.
///
/// CBOR: `{0: space, 1: epoch, 2: [position, …]}`.
package struct EntriesRequest: Equatable, Sendable {
    package var space: Identifier
    /// The epoch of the log in which the positions count.
    package var epoch: Identifier
    /// Up to ``Limits/entryLimit`` positions, ascending.
    package var positions: [UInt64]

    package init(space: Identifier, epoch: Identifier, positions: [UInt64]) {
        (self.space, self.epoch, self.positions) = (space, epoch, positions)
    }
}

extension EntriesRequest {
    package var encoded: [UInt8] {
        CBOREncoder.map { map in
            map.add(0, space) { $0.bytes($1.bytes) }
            map.add(1, epoch) { $0.bytes($1.bytes) }
            map.add(2, positions) { $0.array($1) { $0.unsigned($1) } }
        }
    }

    package init(decoding bytes: [UInt8]) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.openMap()
        let space = try decoder.has(0) ? decoder.identifier() : nil
        let epoch = try decoder.has(1) ? decoder.identifier() : nil
        let positions = try decoder.has(2) ? decoder.positions(atMost: Limits.entryLimit) : nil
        try decoder.closeMap()
        try decoder.finish()
        guard let space, let epoch, let positions else { throw .unexpected(offset: 0) }
        self.init(space: space, epoch: epoch, positions: positions)
    }
}

/// The reply to an ``EntriesRequest``.
///
/// CBOR: `{0: [log-entry as bytes, …]}`, in the order of the request. The server leaves out positions
/// that its log does not have, and the last ones if the reply would be too large. An accepted set
/// without a body is one whose body the server lacks.
package struct EntriesReply: Equatable, Sendable {
    package var entries: [[UInt8]]

    package init(entries: [[UInt8]]) { self.entries = entries }

    package var encoded: [UInt8] {
        CBOREncoder.map { map in
            map.add(0, entries) { $0.array($1) { $0.bytes($1) } }
        }
    }

    package init(decoding bytes: [UInt8]) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.openMap()
        let entries = try decoder.has(0) ? decoder.byteStrings(allowsNone: true) : nil
        try decoder.closeMap()
        try decoder.finish()
        guard let entries else { throw .unexpected(offset: 0) }
        self.entries = entries
    }
}

extension CBORDecoder {
    /// Ascending positions of a log, at least one.
    mutating func positions(atMost limit: Int) throws(CBORError) -> [UInt64] {
        let start = offset
        let positions = try list { (decoder) throws(CBORError) in try decoder.unsigned() }
        let isAscending = zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 }
        guard positions.count <= limit, isAscending else { throw .unexpected(offset: start) }
        return positions
    }
}
