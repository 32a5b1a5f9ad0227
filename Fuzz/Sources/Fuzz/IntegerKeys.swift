import SyncCore

/// The keys of an integer map: those that this version does not know are read over.
struct IntegerKeys {
    private(set) var outer: Set<UInt64> = []
    /// Those of the maps in the list under one of the keys.
    private(set) var inner: Set<UInt64> = []

    /// The keys of the map in `bytes`, as far as it can be read.
    init(of bytes: [UInt8], listKey: UInt64? = nil) {
        var decoder = CBORDecoder(bytes)
        try? read(from: &decoder, listKey)
    }

    /// Whether all keys are among the known ones.
    func are(in outer: ClosedRange<UInt64>, inner: ClosedRange<UInt64> = 0...0) -> Bool {
        self.outer.allSatisfy(outer.contains) && self.inner.allSatisfy(inner.contains)
    }

    private mutating func read(
        from decoder: inout CBORDecoder,
        _ listKey: UInt64?
    ) throws(CBORError) {
        try decoder.openMap()
        while let key = try decoder.nextKey() {
            outer.insert(key)
            if key == listKey {
                for _ in 0..<(try decoder.array()) { try readInner(from: &decoder) }
            } else {
                _ = try decoder.item()
            }
        }
        try decoder.closeMap()
    }

    private mutating func readInner(from decoder: inout CBORDecoder) throws(CBORError) {
        try decoder.openMap()
        while let key = try decoder.nextKey() {
            inner.insert(key)
            _ = try decoder.item()
        }
        try decoder.closeMap()
    }
}
