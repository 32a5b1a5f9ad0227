/// A set that is brought back to a server, with what an earlier log of the same server said of it.
///
/// CBOR: `{0: push-item as bytes, ? 1: verdict, ? 2: receipt, ? 3: admin, ? 4: reason}`. Without a
/// receipt it is judged anew; `admin` is the device that had adopted a held set, and the reason why
/// it was held or refused is covered by no receipt.
package struct RefillItem: Equatable, Sendable {
    /// The encoded push item.
    package var item: [UInt8]
    /// What the earlier log said.
    package var judgement: SetName.Judgement?
    /// The server's MAC over the name and the judgement, 32 bytes.
    package var receipt: [UInt8]?
    /// Why the earlier log did not take it; empty where that is not known.
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

    /// The deterministic CBOR of the item.
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

    /// Reads one item; the push item inside is not read yet.
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
