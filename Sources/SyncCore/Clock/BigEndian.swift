extension UInt64 {
    /// Reads at most eight bytes, most significant first.
    package init(bigEndian bytes: some Collection<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The eight bytes, most significant first.
    package var bigEndianBytes: [UInt8] {
        unsafe withUnsafeBytes(of: bigEndian) { unsafe Array($0) }
    }
}
