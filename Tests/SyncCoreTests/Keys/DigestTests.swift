@testable import SyncCore
import Testing

@Suite struct DigestTests {
    /// FIPS 180-4 examples.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `digests are those of SHA-256`(text: String, digest: String) {
        #expect(Digest(of: text.utf8).description == digest)
        #expect(Digest(hexadecimal: digest) == Digest(of: text.utf8))
        #expect(Digest(hexadecimal: digest.uppercased()) == Digest(of: text.utf8))
    }

    @Test(arguments: ["", "0", "zz", String(repeating: "0", count: 62), "+1", " 1"])
    func `other texts are no digests`(text: String) {
        #expect(Digest(hexadecimal: text) == nil)
    }
}
