/// Requests the sums of the server's view (`POST /v1/audit`).
///
/// CBOR: `{0: space, 1: epoch, 2: position, ? 3: collection, ? 4: bucket, ? 5: true}`. Key 5 asks
/// the server to rebuild its view from the log first.
package struct AuditRequest: Equatable, Sendable {
    package var space: Identifier
    /// The position at which the view must stand; the server rejects any other.
    package var cursor: LogPosition
    package var scope: AuditScope
    /// Whether the server rebuilds the view from the log first.
    package var rebuilds = false
}

extension AuditRequest {
    package var encoded: [UInt8] {
        let (collection, bucket) = scope.parts
        return CBOREncoder.map { map in
            map.add(0, space) { $0.bytes($1.bytes) }
            map.add(1, cursor.epoch) { $0.bytes($1.bytes) }
            map.add(2, cursor.position) { $0.unsigned($1) }
            map.add(3, collection) { $0.text($1) }
            map.add(4, bucket) { $0.unsigned(UInt64($1)) }
            map.add(5, rebuilds ? true : nil) { $0.bool($1) }
        }
    }

    /// Decodes exactly one request; rejects trailing bytes.
    package init(decoding bytes: [UInt8]) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.openMap()
        let space = try decoder.has(0) ? decoder.identifier() : nil
        let epoch = try decoder.has(1) ? decoder.identifier() : nil
        let position = try decoder.has(2) ? decoder.unsigned() : nil
        let collection = try decoder.has(3) ? decoder.text() : nil
        let bucket = try decoder.has(4) ? decoder.unsigned() : nil
        let rebuilds = try decoder.has(5) ? decoder.bool() : false
        try decoder.closeMap()
        try decoder.finish()
        guard let space, let epoch, let position, let scope = AuditScope(collection, bucket)
        else { throw .unexpected(offset: 0) }
        let cursor = LogPosition(epoch: epoch, position: position)
        self.init(space: space, cursor: cursor, scope: scope, rebuilds: rebuilds)
    }
}

/// The reply to an ``AuditRequest``.
///
/// CBOR: `{0: position, 1: [[name, sum], …]}`. A name is the collection's text, the bucket's
/// number, or the row's encoding as a byte string.
package struct AuditReply: Equatable, Sendable {
    /// The position of the server's view.
    package var position: UInt64
    /// The parts that have cells, ascending by name.
    package var sums: [AuditSum]

    package init(position: UInt64, sums: [AuditSum]) {
        self.position = position
        self.sums = sums
    }

    package var encoded: [UInt8] {
        CBOREncoder.map { map in
            map.add(0, position) { $0.unsigned($1) }
            map.add(1, sums) { $0.array($1) { $1.encode(into: &$0) } }
        }
    }

    /// Decodes the reply to a request for `scope`; the scope determines the type of the names.
    package init(decoding bytes: [UInt8], for scope: AuditScope) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.openMap()
        let position = try decoder.has(0) ? decoder.unsigned() : nil
        let sums = try decoder.has(1) ? decoder.sums(for: scope) : nil
        try decoder.closeMap()
        try decoder.finish()
        guard let position, let sums else { throw .unexpected(offset: 0) }
        self.init(position: position, sums: sums)
    }
}

extension AuditScope {
    fileprivate var parts: (collection: Text?, bucket: UInt8?) {
        switch self {
        case .collections: (nil, nil)
        case .buckets(let collection): (collection, nil)
        case .rows(let collection, let bucket): (collection, bucket)
        }
    }

    fileprivate init?(_ collection: Text?, _ bucket: UInt64?) {
        switch (collection, bucket) {
        case (nil, nil): self = .collections
        case (let collection?, nil): self = .buckets(of: collection)
        case (let collection?, let bucket?):
            guard let bucket = UInt8(exactly: bucket) else { return nil }
            self = .rows(of: collection, bucket: bucket)
        case (nil, _?): return nil
        }
    }
}

extension CBORDecoder {
    fileprivate mutating func sums(for scope: AuditScope) throws(CBORError) -> [AuditSum] {
        try list(allowsNone: true) { (decoder) throws(CBORError) in
            try AuditSum(from: &decoder, for: scope)
        }
    }
}

extension AuditSum {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        encoder.array(2)
        switch name {
        case .collection(let name): encoder.text(name)
        case .bucket(let number): encoder.unsigned(UInt64(number))
        case .row(let row): encoder.bytes(row)
        }
        encoder.bytes(sum.bytes)
    }

    fileprivate init(from decoder: inout CBORDecoder, for scope: AuditScope) throws(CBORError) {
        let start = decoder.offset
        try decoder.array(count: 2)
        let name: Name
        switch scope {
        case .collections: name = .collection(try decoder.text())
        case .buckets:
            guard let number = UInt8(exactly: try decoder.unsigned()) else {
                throw .unexpected(offset: start)
            }
            name = .bucket(number)
        case .rows: name = .row(Array(try decoder.bytes()))
        }
        guard let sum = Fingerprint(bytes: try decoder.bytes(count: 32)) else {
            throw .unexpected(offset: start)
        }
        self.init(name: name, sum: sum)
    }
}
