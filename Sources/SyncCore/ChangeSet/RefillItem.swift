/// A set that is brought back to a server, with what an earlier log of the same server said of it.
///
/// CBOR: `{0: push-item as bytes, ? 1: verdict, ? 2: receipt, ? 3: admin}`. Without a receipt it is
/// judged anew; `admin` is the device that had adopted a held set.
package struct RefillItem: Equatable, Sendable {
    /// The encoded push item.
    package var item: [UInt8]
    /// What the earlier log said.
    package var judgement: SetName.Judgement?
    /// The server's MAC over the name and the judgement, 32 bytes.
    package var receipt: [UInt8]?

    package init(item: [UInt8], judgement: SetName.Judgement?, receipt: [UInt8]?) {
        self.item = item
        self.judgement = judgement
        self.receipt = receipt
    }

    /// The deterministic CBOR of the item.
    package var encoded: [UInt8] {
        var encoder = CBOREncoder()
        encoder.map(1 + (judgement == nil ? 0 : 1) + (receipt == nil ? 0 : 1))
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
        return encoder.bytes
    }

    /// Reads one item; the push item inside is not read yet.
    package init(decoding bytes: ArraySlice<UInt8>) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        var item: [UInt8]?
        var receipt: [UInt8]?
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
            default: return false
            }
            return true
        }
        try decoder.finish()
        guard let item else { throw .unexpected(offset: 0) }
        self.init(item: item, judgement: judgement, receipt: receipt)
    }
}
