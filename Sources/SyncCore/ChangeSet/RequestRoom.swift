/// What is left of the limits of one request, all of which a sender must keep: what a server refuses
/// as a whole would be sent again for ever.
package struct RequestRoom: Sendable {
    private var sets = Limits.setLimit
    private var bytes: Int
    private var decodedBytes = Limits.decodedChunkByteLimit

    /// All of a request whose items may have so many bytes.
    package init(bytes: Int) {
        self.bytes = bytes
    }

    /// Whether an encoded item still fits; if so, its share is gone.
    mutating func takes(_ item: [UInt8], with chunks: [[UInt8]]) -> Bool {
        let decoded = chunks.reduce(0) { $0 + (Chunk.payloadByteCount(of: $1) ?? 0) }
        guard sets > 0, item.count <= bytes, decoded <= decodedBytes else { return false }
        sets -= 1
        bytes -= item.count + Self.itemHead
        decodedBytes -= decoded
        return true
    }

    /// The bytes before an item that tell how many it has.
    private static let itemHead = 4
}
