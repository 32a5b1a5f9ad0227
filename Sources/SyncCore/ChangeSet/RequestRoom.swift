/// The unused part of the limits of one request.
///
/// A sender must keep every limit. The server rejects a request beyond a limit as a whole, and the
/// sender would repeat it for ever.
package struct RequestRoom: Sendable {
    private var sets = Limits.setLimit
    private var bytes: Int
    private var decodedBytes = Limits.decodedChunkByteLimit

    /// Creates the room of an empty request whose items may have this many bytes.
    package init(bytes: Int) { self.bytes = bytes }

    /// Reserves room for an encoded item; returns false if it does not fit.
    mutating func takes(_ item: [UInt8], with chunks: [[UInt8]]) -> Bool {
        let decoded = chunks.reduce(0) { $0 + (Chunk.contentByteCount(of: $1) ?? 0) }
        guard sets > 0, item.count <= bytes, decoded <= decodedBytes else { return false }
        sets -= 1
        bytes -= item.count + Self.itemHead
        decodedBytes -= decoded
        return true
    }

    /// The largest size of an item's CBOR head, in bytes.
    private static let itemHead = 5
}
