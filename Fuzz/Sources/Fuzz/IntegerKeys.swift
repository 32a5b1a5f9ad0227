import SyncCore

/// The keys of an integer map: those from 32 up are for the future, and are read over.
struct IntegerKeys {
    private(set) var greatest: UInt64 = 0

    /// Keys of the map in `bytes`; of the maps in the list under its key `nested` too.
    init(of bytes: [UInt8], nested: UInt64? = nil) {
        var decoder = CBORDecoder(bytes)
        try? read(from: &decoder, nested: nested)
    }

    private mutating func read(
        from decoder: inout CBORDecoder,
        nested: UInt64?
    ) throws(CBORError) {
        var greatest = greatest
        try decoder.integerMap { (key, decoder) throws(CBORError) in
            greatest = max(greatest, key)
            guard key == nested else { return false }
            for _ in 0..<(try decoder.array()) {
                try decoder.integerMap { (key, _) throws(CBORError) in
                    greatest = max(greatest, key)
                    return false
                }
            }
            return true
        }
        self.greatest = greatest
    }
}
