internal import SyncCore

/// A time that this server vouches for: a device signs it although its own clock says otherwise.
///
/// The text is base64url of the time (8 bytes, Unix milliseconds, big-endian), 8 random bytes and
/// the server's MAC over both. The server stores nothing until a challenge is used.
struct Challenge: Sendable {
    private static let characterCount = 64

    /// Whether a nonce has the length of a challenge; no nonce that a device makes up has it.
    static func isChallenge(_ nonce: String) -> Bool { nonce.utf8.count == characterCount }

    private let key: Secret

    init(_ keys: ServerKeys) { key = keys.challengeSecret }

    /// Returns a challenge that is good for ``RequestSignature/windowSeconds``.
    func make(at now: UnixTime, random: [UInt8]) -> String {
        precondition(random.count == 8, "a challenge has 8 random bytes")
        let time = UInt64(max(now.milliseconds, 0))
        return Base64.url.encode(time.bigEndianBytes + random + tag(time, random))
    }

    /// Whether this server made the challenge, and not too long ago.
    func isValid(_ text: String, at now: UnixTime) -> Bool {
        guard Self.isChallenge(text), let bytes = Base64.url.decode(text) else {
            return false
        }
        let (time, random) = (UInt64(bigEndian: bytes[..<8]), Array(bytes[8..<16]))
        guard MACKey.equal(tag(time, random), Array(bytes[16...])),
            let made = Int64(exactly: time)
        else { return false }
        return (now.milliseconds - made).magnitude
            <= UInt64(RequestSignature.windowSeconds) * 1000
    }

    private func tag(_ time: UInt64, _ random: [UInt8]) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.array(3)
        encoder.text("wake/1/challenge")
        encoder.unsigned(time & .max >> 1)
        encoder.bytes(random)
        return MACKey(key.bytes).tag(of: encoder.bytes)
    }
}
