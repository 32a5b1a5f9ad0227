import Testing

@testable import SyncCore

@Suite struct Base64Tests {
    /// RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `the vectors of the RFC hold`(plain: String, text: String) {
        #expect(Base64.standard.encode(Array(plain.utf8)) == text)
        #expect(Base64.standard.decode(text) == Array(plain.utf8))
        let url = String(text.prefix { $0 != "=" })
        #expect(Base64.url.encode(Array(plain.utf8)) == url)
        #expect(Base64.url.decode(url) == Array(plain.utf8))
    }

    @Test func `the alphabets differ in two characters`() {
        #expect(Base64.standard.encode([0xfb, 0xff]) == "+/8=")
        #expect(Base64.url.encode([0xfb, 0xff]) == "-_8")
        #expect(Base64.standard.decode("-_8=") == nil)
        #expect(Base64.url.decode("+/8") == nil)
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm9v=", "Zm9v\n", "Zm 9v", "=Zg=", "Zg==Zg==",
        "Zé==", "====",
    ])
    func `one text for each value`(text: String) {
        #expect(Base64.standard.decode(text) == nil)
    }

    @Test func `every byte returns`() {
        let bytes = (0...255).map { UInt8($0) }
        for count in 0...bytes.count {
            let part = Array(bytes[..<count])
            #expect(Base64.standard.decode(Base64.standard.encode(part)) == part)
            #expect(Base64.url.decode(Base64.url.encode(part)) == part)
        }
    }
}
