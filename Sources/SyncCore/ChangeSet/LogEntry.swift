/// An entry of a space's log, as the server sends it (`log-entry` in `wire-format.cddl`).
package struct LogEntry: Equatable, Sendable {
    /// The entry's position in the log.
    package var position: UInt64
    /// The set's body; nil if it was dropped, or if the set is held or refused.
    package var body: [UInt8]?
    /// The server's MAC over the set's name and judgement, 32 bytes.
    package var receipt: [UInt8]
    package var content: Content
    /// Why the set is held or refused, for its author; empty for any other entry.
    package var reason: String

    /// A set with its verdict, or the adoption of a held set.
    package enum Content: Equatable, Sendable {
        case set(upload: [UInt8], Verdict)
        /// The adopted set, and the admin's device that adopted it.
        case adoption(replica: Identifier, sequence: UInt64, hash: Digest, admin: Identifier)
    }

    package init(
        position: UInt64,
        body: [UInt8]?,
        receipt: [UInt8],
        content: Content,
        reason: String = ""
    ) {
        self.position = position
        self.body = body
        self.receipt = receipt
        self.content = content
        self.reason = reason
    }

    /// A key from 32 up, which a reader that does not know it ignores.
    private static let reasonKey: UInt64 = 40

    package var encoded: [UInt8] {
        var encoder = CBOREncoder()
        encoder.map(4 + (body == nil ? 0 : 1) + (reason.isEmpty ? 0 : 1))
        encoder.unsigned(0)
        encoder.unsigned(position)
        if case .set(let upload, _) = content {
            encoder.unsigned(1)
            encoder.bytes(upload)
        }
        if let body {
            encoder.unsigned(2)
            encoder.bytes(body)
        }
        if case .set(_, let verdict) = content {
            encoder.unsigned(4)
            encoder.unsigned(verdict.rawValue)
        }
        encoder.unsigned(5)
        encoder.bytes(receipt)
        if case .adoption(let replica, let sequence, let hash, let admin) = content {
            encoder.unsigned(6)
            encoder.array(3)
            encoder.bytes(replica.bytes)
            encoder.unsigned(sequence)
            encoder.bytes(hash.bytes)
            encoder.unsigned(7)
            encoder.bytes(admin.bytes)
        }
        if !reason.isEmpty {
            encoder.unsigned(Self.reasonKey)
            encoder.text(Text(reason))
        }
        return encoder.bytes
    }
}

extension LogEntry {
    /// Decodes exactly one entry; does not parse the upload.
    package init(decoding bytes: ArraySlice<UInt8>) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        var fields = Fields()
        try decoder.integerMap { (key, decoder) throws(CBORError) in
            try fields.read(key, from: &decoder)
        }
        try decoder.finish()
        guard let position = fields.position, let receipt = fields.receipt,
            let content = fields.content
        else { throw .unexpected(offset: 0) }
        self.init(
            position: position,
            body: fields.body,
            receipt: receipt,
            content: content,
            reason: fields.reason
        )
    }

    private struct Fields {
        var position: UInt64?
        var upload: [UInt8]?
        var body: [UInt8]?
        var verdict: Verdict?
        var receipt: [UInt8]?
        var adopted: (replica: Identifier, sequence: UInt64, hash: Digest)?
        var admin: Identifier?
        var reason = ""

        mutating func read(
            _ key: UInt64,
            from decoder: inout CBORDecoder
        ) throws(CBORError) -> Bool {
            switch key {
            case 0: position = try decoder.unsigned()
            case 1: upload = Array(try decoder.bytes())
            case 2: body = Array(try decoder.bytes())
            case 4: verdict = Verdict(rawValue: try decoder.unsigned())
            case 5: receipt = Array(try decoder.bytes(count: 32))
            case 6:
                try decoder.array(count: 3)
                adopted = (
                    try decoder.identifier(), try decoder.unsigned(), try decoder.digest()
                )
            case 7: admin = try decoder.identifier()
            case LogEntry.reasonKey: reason = try decoder.text().string
            case 32...: return false
            default: throw .unexpected(offset: decoder.offset)
            }
            return true
        }

        var content: Content? {
            switch (upload, verdict, adopted, admin) {
            case (let upload?, let verdict?, nil, nil): .set(upload: upload, verdict)
            case (nil, nil, let set?, let admin?):
                .adoption(
                    replica: set.replica,
                    sequence: set.sequence,
                    hash: set.hash,
                    admin: admin
                )
            default: nil
            }
        }
    }
}

/// The hash chain over a log's entries, by which a reader detects another history.
///
/// Link *n* is SHA-256 of link *n* - 1 and ``SetName/judged(_:)`` of entry *n*; link 0 is zero.
package enum LogChain {
    /// Returns the link that follows `previous`.
    package static func link(
        after previous: Digest,
        _ name: SetName,
        _ judgement: SetName.Judgement
    ) -> Digest {
        Digest(of: previous.bytes + name.judged(judgement))
    }
}
