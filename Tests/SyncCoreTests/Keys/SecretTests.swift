@testable import SyncCore
import Testing

@Suite struct SecretTests {
    /// RFC 5869, appendix A: secret, salt, info, the first 32 bytes of the output.
    @Test(arguments: [
        (
            String(repeating: "0b", count: 22), "000102030405060708090a0b0c",
            "f0f1f2f3f4f5f6f7f8f9",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
        ),
        (
            String(repeating: "0b", count: 22), "", "",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
        ),
    ])
    func `derived keys are those of RFC 5869`(
        secret: String,
        salt: String,
        info: String,
        output: String
    ) throws {
        let derived = Secret(bytes: try #require([UInt8](hexadecimal: secret))).derive(
            "",
            salt: try #require([UInt8](hexadecimal: salt)),
            context: try #require([UInt8](hexadecimal: info))
        )
        #expect(derived.bytes.hexadecimal == output)
    }

    /// RFC 7748, section 6.1.
    @Test(arguments: [
        (
            "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
            "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
        ),
        (
            "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
            "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
        ),
    ])
    func `public keys are those of RFC 7748`(secret: String, publicKey: String) throws {
        let secret = Secret(bytes: try #require([UInt8](hexadecimal: secret)))
        #expect(AgreementKey(secret: secret).publicKey.bytes.hexadecimal == publicKey)
    }

    @Test(arguments: [0, 1, 32, 1000])
    func `what was wrapped is unwrapped with the same key and context alone`(count: Int) {
        var random = SplitMix64(seed: UInt64(count))
        let (key, other) = (Secret.random(using: &random), Secret.random(using: &random))
        let plain = Secret.random(count: count, using: &random).bytes
        let wrapped = key.wrap(plain, for: [1, 2], using: &random)
        #expect(wrapped.count == count + 28)
        #expect(key.unwrap(wrapped, for: [1, 2]) == plain)
        #expect(key.unwrap(wrapped, for: [1]) == nil)
        #expect(other.unwrap(wrapped, for: [1, 2]) == nil)
        #expect(key.unwrap(Array(wrapped.dropLast()), for: [1, 2]) == nil)
        #expect(key.unwrap([], for: [1, 2]) == nil)
    }

    @Test func `no flipped bit of what was wrapped goes unnoticed`() {
        var random = SplitMix64(seed: 1)
        let key = Secret.random(using: &random)
        let wrapped = key.wrap(Array("a space key".utf8), for: [], using: &random)
        for bit in 0..<wrapped.count * 8 {
            var wrong = wrapped
            wrong[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(key.unwrap(wrong, for: []) == nil)
        }
    }

    @Test func `each purpose, device, space and epoch has a key of its own`() {
        let secret = Secret(bytes: [UInt8](repeating: 7, count: 32))
        let secrets: [UInt64: Secret] = [1: secret, 2: secret]
        let (one, two) = (Identifier(number: 1), Identifier(number: 2))
        let keys = [1, 2].flatMap { (epoch: UInt64) in
            [one, two].flatMap { id in
                [
                    SpaceKeys(space: id, secrets: secrets).macSecret(epoch: epoch),
                    DeviceKeys(device: id, secrets: secrets).macSecret(epoch: epoch),
                ]
            }
        }
        #expect(Set(keys).count == 8)
        #expect(!keys.contains(nil))
        #expect(SpaceKeys(space: one, secrets: secrets).epoch == 2)
        #expect(SpaceKeys(space: one, secrets: secrets).macSecret(epoch: 3) == nil)
        let link = LinkSecret(one)
        let derived = [link.token, link.keys.signing.seed.bytes, link.keys.agreement.secret.bytes]
        #expect(Set(derived).count == 3)
    }
}
