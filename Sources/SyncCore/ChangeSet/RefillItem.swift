/// A change set that refills a server, with its judgement in an earlier log of the same server.
///
/// CBOR: `{0: push-item as bytes, ? 1: verdict, ? 2: receipt, ? 3: admin, ? 4: reason}`. Without a
/// receipt the server judges the set anew. `admin` is the device that adopted the set after it was
/// held. No receipt covers the reason.
package struct RefillItem: Equatable, Sendable {
    package var item: [UInt8]
    /// The judgement in the earlier log.
    package var judgement: SetName.Judgement?
    /// The server's MAC over the set's name and judgement, 32 bytes.
    package var receipt: [UInt8]?
    /// Why the earlier log held or refused the set; empty if unknown.
    package var reason: String

    package init(
        item: [UInt8],
        judgement: SetName.Judgement?,
        receipt: [UInt8]?,
        reason: String = ""
    ) {
        self.item = item
        self.judgement = judgement
        self.receipt = receipt
        self.reason = reason
    }

    package var encoded: [UInt8] {
        var encoder = CBOREncoder()
        encoder.map(
            1 + (judgement == nil ? 0 : 1) + (receipt == nil ? 0 : 1) + (reason.isEmpty ? 0 : 1)
        )
        encoder.unsigned(0)
        encoder.bytes(item)
        if case .verdict(let verdict) = judgement {
            encoder.unsigned(1)
            encoder.unsigned(verdict.rawValue)
        }
        if let receipt {
            encoder.unsigned(2)
            encoder.bytes(receipt)
        }
        if case .adopted(let admin) = judgement {
            encoder.unsigned(3)
            encoder.bytes(admin.bytes)
        }
        if !reason.isEmpty {
            encoder.unsigned(4)
            encoder.text(Text(reason))
        }
        return encoder.bytes
    }

    /// Decodes one item; does not decode the push item inside.
    package init(decoding bytes: ArraySlice<UInt8>) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        var item: [UInt8]?
        var receipt: [UInt8]?
        var reason = ""
        var judgement: SetName.Judgement?
        try decoder.integerMap { (key, decoder) throws(CBORError) in
            switch key {
            case 0: item = Array(try decoder.bytes())
            case 1:
                let start = decoder.offset
                guard let verdict = Verdict(rawValue: try decoder.unsigned()) else {
                    throw .unexpected(offset: start)
                }
                judgement = .verdict(verdict)
            case 2: receipt = Array(try decoder.bytes(count: 32))
            case 3:
                guard judgement == nil else { throw .unexpected(offset: decoder.offset) }
                judgement = .adopted(admin: try decoder.identifier())
            case 4: reason = try decoder.text().string
            default: return false
            }
            return true
        }
        try decoder.finish()
        guard let item else { throw .unexpected(offset: 0) }
        self.init(item: item, judgement: judgement, receipt: receipt, reason: reason)
    }
}
