import SyncCore

/// What travels around change sets.
///
/// The first byte says what the others are: `q` a sync request, `a` its answer, `p` a push item,
/// `e` an entry of the log, `r` an item of a refill, `n` a request to enrol, `m` its answer.
enum MessageTarget {
    static func check(_ input: [UInt8]) {
        let bytes = Array(input.dropFirst())
        switch input.first {
        case UInt8(ascii: "q"):
            let keys = IntegerKeys(of: bytes, listKey: 1)
            check(bytes, keys.are(in: 1...1, inner: 0...5), SyncRequest.init(decoding:), \.encoded)
        case UInt8(ascii: "a"):
            let keys = IntegerKeys(of: bytes, listKey: 1)
            check(bytes, keys.are(in: 0...1, inner: 0...12), SyncReply.init(decoding:), \.encoded)
        case UInt8(ascii: "p"):
            let keys = IntegerKeys(of: bytes)
            check(bytes, keys.are(in: 0...31), { try PushItem(decoding: $0[...]) }, \.encoded)
        case UInt8(ascii: "e"):
            let keys = IntegerKeys(of: bytes)
            check(bytes, keys.are(in: 0...31), { try LogEntry(decoding: $0[...]) }, \.encoded)
        case UInt8(ascii: "r"):
            let keys = IntegerKeys(of: bytes)
            // The reason, key 4, may be empty, and is then left out.
            check(bytes, keys.are(in: 0...3), { try RefillItem(decoding: $0[...]) }, \.encoded)
        case UInt8(ascii: "n"):
            let keys = IntegerKeys(of: bytes)
            check(bytes, keys.are(in: 0...8), EnrolRequest.init(decoding:), \.encoded)
            checkProofs(bytes)
        case UInt8(ascii: "m"):
            let keys = IntegerKeys(of: bytes)
            check(bytes, keys.are(in: 0...5), EnrolReply.init(decoding:), \.encoded)
        default: break
        }
    }

    /// A proof is for one challenge of one server.
    private static func checkProofs(_ bytes: [UInt8]) {
        guard let request = try? EnrolRequest(decoding: bytes), let challenge = request.challenge,
            let signer = request.proofs.first?.signer
        else { return }
        let (key, host) = (Authors.first.publicKeys.signing, "wake.example:8300")
        let own = EnrolProof(signer, Authors.first.signing, challenge: challenge, authority: host)
        precondition(own.verifies(with: key, challenge: challenge, authority: host), "own proof")
        precondition(!own.verifies(with: key, challenge: challenge + "0", authority: host))
        precondition(!own.verifies(with: key, challenge: challenge, authority: host + "0"))
        for proof in request.proofs.prefix(4) where proof.signer == signer {
            precondition(
                proof.verifies(with: key, challenge: challenge, authority: host) == (proof == own),
                "only what we signed is ours"
            )
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
