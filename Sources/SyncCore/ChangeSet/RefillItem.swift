/// A change set that refills a server, with its verdict in an earlier log of the same server.
///
/// CBOR: `{0: push-item as bytes, ? 1: verdict, ? 2: receipt, ? 4: reason}`. Without a receipt the
/// server judges the set anew. No receipt covers the reason.
package struct RefillItem: Equatable, Sendable {
    package var item: [UInt8]
    /// The verdict in the earlier log.
    package var verdict: Verdict?
    /// The server's MAC over the set's name and verdict, 32 bytes.
    package var receipt: [UInt8]?
    /// Why the earlier log held or refused the set; empty if unknown.
    package var reason = ""
}

extension RefillItem {
    package var encoded: [UInt8] {
        CBOREncoder.map { map in
            map.add(0, item) { $0.bytes($1) }
            map.add(1, verdict?.rawValue) { $0.unsigned($1) }
            map.add(2, receipt) { $0.bytes($1) }
            map.add(4, reason.isEmpty ? nil : Text(reason)) { $0.text($1) }
        }
    }

    /// Decodes one item; does not decode the push item inside.
    package init(decoding bytes: ArraySlice<UInt8>) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.openMap()
        let item = try decoder.has(0) ? Array(decoder.bytes()) : nil
        let verdict = try decoder.has(1) ? decoder.verdict() : nil
        let receipt = try decoder.has(2) ? Array(decoder.bytes(count: 32)) : nil
        let reason = try decoder.has(4) ? decoder.text().string : ""
        try decoder.closeMap()
        try decoder.finish()
        guard let item else { throw .unexpected(offset: 0) }
        self.init(item: item, verdict: verdict, receipt: receipt, reason: reason)
    }
}

extension CBORDecoder {
    mutating func verdict() throws(CBORError) -> Verdict {
        let start = offset
        guard let verdict = Verdict(rawValue: try unsigned()) else {
            throw .unexpected(offset: start)
        }
        return verdict
    }
}
