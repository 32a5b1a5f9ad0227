/// An entry of a space's log, as the server sends it (`log-entry` in `wire-format.cddl`).
package struct LogEntry: Equatable, Sendable {
    package var position: UInt64
    /// The set's body; nil if it was dropped, or if the set does not count.
    ///
    /// Admins get that of a held set, too, when they ask for what is held.
    package var body: [UInt8]?
    /// The server's MAC over the set's name and verdict, 32 bytes; empty for a lost entry.
    package var receipt: [UInt8]
    package var content: Content
    /// The signature over this set as the head of its replica; nil unless it is the newest one.
    package var headSignature: Signature?
    /// Why the set is held or refused, for its author; empty for any other entry.
    package var reason: String

    /// A set with its verdict, or nothing.
    package enum Content: Equatable, Sendable {
        /// What the server had here was damaged, and nobody has brought it yet.
        case lost
        case set(upload: [UInt8], Verdict)
    }

    package init(
        position: UInt64,
        body: [UInt8]?,
        receipt: [UInt8],
        content: Content,
        headSignature: Signature? = nil,
        reason: String = ""
    ) {
        self.position = position
        self.body = body
        self.receipt = receipt
        self.content = content
        self.headSignature = headSignature
        self.reason = reason
    }

    /// A key from 32 up, which a reader that does not know it ignores.
    private static let reasonKey: UInt64 = 40

    package var encoded: [UInt8] {
        CBOREncoder.map { map in
            map.add(0, position) { $0.unsigned($1) }
            if case .set(let upload, _) = content { map.add(1, upload) { $0.bytes($1) } }
            map.add(2, body) { $0.bytes($1) }
            if case .set(_, let verdict) = content {
                map.add(4, verdict.rawValue) { $0.unsigned($1) }
            }
            map.add(5, content == .lost ? nil : receipt) { $0.bytes($1) }
            map.add(8, headSignature) { $0.bytes($1.bytes) }
            map.add(Self.reasonKey, reason.isEmpty ? nil : Text(reason)) { $0.text($1) }
        }
    }
}

extension LogEntry {
    /// Decodes exactly one entry; does not parse the upload.
    package init(decoding bytes: ArraySlice<UInt8>) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.openMap(reserved: 32)
        let position = try decoder.has(0) ? decoder.unsigned() : nil
        let upload = try decoder.has(1) ? Array(decoder.bytes()) : nil
        let body = try decoder.has(2) ? Array(decoder.bytes()) : nil
        let verdict = try decoder.has(4) ? decoder.verdict() : nil
        let receipt = try decoder.has(5) ? Array(decoder.bytes(count: 32)) : nil
        let headSignature = try decoder.has(8) ? decoder.signature() : nil
        let reason = try decoder.has(Self.reasonKey) ? decoder.text().string : ""
        try decoder.closeMap()
        try decoder.finish()
        guard let position else { throw .unexpected(offset: 0) }
        let content: Content
        switch (upload, verdict, receipt) {
        case (let upload?, let verdict?, _?): content = .set(upload: upload, verdict)
        case (nil, nil, nil) where body == nil && headSignature == nil: content = .lost
        default: throw .unexpected(offset: 0)
        }
        self.init(
            position: position,
            body: body,
            receipt: receipt ?? [],
            content: content,
            headSignature: headSignature,
            reason: content == .lost ? "" : reason
        )
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
        _ verdict: Verdict
    ) -> Digest {
        Digest(of: previous.bytes + name.judged(verdict))
    }
}
