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
            check(bytes, SyncRequest.init(decoding:), \.encoded, keys(of: bytes, nested: 1))
        case UInt8(ascii: "a"):
            check(bytes, SyncReply.init(decoding:), \.encoded, keys(of: bytes, nested: 1))
        case UInt8(ascii: "p"):
            check(bytes, { try PushItem(decoding: $0[...]) }, \.encoded, keys(of: bytes))
        case UInt8(ascii: "e"):
            check(bytes, { try LogEntry(decoding: $0[...]) }, \.encoded, keys(of: bytes))
        default: break
        }
    }

    /// Keys that this version does not know are read over, and do not come back.
    private static func keys(of bytes: [UInt8], nested: UInt64? = nil) -> Bool {
        IntegerKeys(of: bytes, nested: nested).greatest >= 10
    }

    private static func check<Message: Equatable>(
        _ bytes: [UInt8],
        _ decode: ([UInt8]) throws -> Message,
        _ encode: (Message) -> [UInt8],
        _ isOfTheFuture: Bool
    ) {
        guard let message = try? decode(bytes) else { return }
        let encoded = encode(message)
        precondition(encoded == bytes || isOfTheFuture, "a message has one encoding")
        precondition((try? decode(encoded)) == message, "a message comes back")
    }
}
