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
    package var rebuilds: Bool

    package init(
        space: Identifier,
        cursor: LogPosition,
        scope: AuditScope,
        rebuilds: Bool = false
    ) {
        self.space = space
        self.cursor = cursor
        self.scope = scope
        self.rebuilds = rebuilds
    }

    package var encoded: [UInt8] {
        var encoder = CBOREncoder()
        let (collection, bucket) = scope.parts
        encoder.map(3 + [collection != nil, bucket != nil, rebuilds].count { $0 })
        encoder.unsigned(0)
        encoder.bytes(space.bytes)
        encoder.unsigned(1)
        encoder.bytes(cursor.epoch.bytes)
        encoder.unsigned(2)
        encoder.unsigned(cursor.position)
        if let collection {
            encoder.unsigned(3)
            encoder.text(collection)
        }
        if let bucket {
            encoder.unsigned(4)
            encoder.unsigned(UInt64(bucket))
        }
        if rebuilds {
            encoder.unsigned(5)
            encoder.bool(true)
        }
        return encoder.bytes
    }

    /// Decodes exactly one request; rejects trailing bytes.
    package init(decoding bytes: [UInt8]) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        var ids: [UInt64: Identifier] = [:]
        var position: UInt64?
        var collection: Text?
        var bucket: UInt64?
        var rebuilds = false
        try decoder.integerMap { (key, decoder) throws(CBORError) in
            switch key {
            case 0, 1: ids[key] = try decoder.identifier()
            case 2: position = try decoder.unsigned()
            case 3: collection = try decoder.text()
            case 4: bucket = try decoder.unsigned()
            case 5: rebuilds = try decoder.bool()
            default: return false
            }
            return true
        }
        try decoder.finish()
        guard let space = ids[0], let epoch = ids[1], let position,
            let scope = AuditScope(collection, bucket)
        else { throw .unexpected(offset: 0) }
        self.init(
            space: space,
            cursor: LogPosition(epoch: epoch, position: position),
            scope: scope,
            rebuilds: rebuilds
        )
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
        var encoder = CBOREncoder()
        encoder.map(2)
        encoder.unsigned(0)
        encoder.unsigned(position)
        encoder.unsigned(1)
        encoder.array(sums.count)
        for part in sums {
            encoder.array(2)
            switch part.name {
            case .collection(let name): encoder.text(name)
            case .bucket(let number): encoder.unsigned(UInt64(number))
            case .row(let row): encoder.bytes(row)
            }
            encoder.bytes(part.sum.bytes)
        }
        return encoder.bytes
    }

    /// Decodes the reply to a request for `scope`; the scope determines the type of the names.
    package init(decoding bytes: [UInt8], for scope: AuditScope) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        var position: UInt64?
        var sums: [AuditSum]?
        try decoder.integerMap { (key, decoder) throws(CBORError) in
            switch key {
            case 0: position = try decoder.unsigned()
            case 1:
                var parts: [AuditSum] = []
                for _ in 0..<(try decoder.array()) {
                    parts.append(try AuditSum(from: &decoder, for: scope))
                }
                sums = parts
            default: return false
            }
            return true
        }
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

extension AuditSum {
    fileprivate init(
        from decoder: inout CBORDecoder,
        for scope: AuditScope
    ) throws(CBORError) {
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
