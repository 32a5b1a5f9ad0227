import SyncCore

/// What travels around change sets.
///
/// The first byte says what the others are: `q` a sync request, `a` its answer, `p` a push item,
/// `e` an entry of the log.
enum MessageTarget {
    static func check(_ input: [UInt8]) {
        let bytes = Array(input.dropFirst())
        switch input.first {
        case UInt8(ascii: "q"):
            let keys = IntegerKeys(of: bytes, listKey: 1)
            check(bytes, keys.are(in: 1...1, inner: 0...5), SyncRequest.init(decoding:), \.encoded)
        case UInt8(ascii: "a"):
            let keys = IntegerKeys(of: bytes, listKey: 1)
            check(bytes, keys.are(in: 0...1, inner: 0...9), SyncReply.init(decoding:), \.encoded)
        case UInt8(ascii: "p"):
            let keys = IntegerKeys(of: bytes)
            check(bytes, keys.are(in: 0...31), { try PushItem(decoding: $0[...]) }, \.encoded)
        case UInt8(ascii: "e"):
            let keys = IntegerKeys(of: bytes)
            check(bytes, keys.are(in: 0...31), { try LogEntry(decoding: $0[...]) }, \.encoded)
        default: break
        }
    }

    /// What this version does not know is read over, and does not come back.
    private static func check<Message: Equatable>(
        _ bytes: [UInt8],
        _ isKnown: Bool,
        _ decode: ([UInt8]) throws -> Message,
        _ encode: (Message) -> [UInt8]
    ) {
        guard let message = try? decode(bytes) else { return }
        let encoded = encode(message)
        precondition(encoded == bytes || !isKnown, "a message has one encoding")
        precondition((try? decode(encoded)) == message, "a message comes back")
    }
}
