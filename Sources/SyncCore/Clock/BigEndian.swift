extension UInt64 {
    /// The eight bytes, most significant first.
    package var bigEndianBytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * UInt64(7 - $0))) }
    }
}
