@testable import SyncCore
import Testing

@Suite struct MACKeyTests {
    /// RFC 4231, section 4: key, data, HMAC-SHA-256.
    @Test(arguments: [
        (
            String(repeating: "0b", count: 20), "4869205468657265",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            "0102030405060708090a0b0c0d0e0f10111213141516171819",
            String(repeating: "cd", count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            String(repeating: "aa", count: 131),
            "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a"
                + "65204b6579202d2048617368204b6579204669727374",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `tags are those of RFC 4231`(key: String, data: String, tag: String) throws {
        let mac = MACKey(try #require([UInt8](hexadecimal: key)))
        let data = try #require([UInt8](hexadecimal: data))
        #expect(mac.tag(of: data).hexadecimal == tag)
        #expect(mac.tag(of: data).hexadecimal == tag, "a key is used again")
        #expect(mac.verifies(try #require([UInt8](hexadecimal: tag)), of: data))
    }

    @Test func `another tag does not verify`() {
        let mac = MACKey([1, 2, 3])
        let tag = mac.tag(of: [4])
        for bit in 0..<256 {
            var wrong = tag
            wrong[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!mac.verifies(wrong, of: [4]))
        }
        #expect(!mac.verifies(tag.dropLast(), of: [4]))
        #expect(!mac.verifies([], of: [4]))
        #expect(!mac.verifies(tag, of: [5]))
    }
}
