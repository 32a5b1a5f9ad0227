import Testing

@testable import SyncCLI

@Suite struct QRCodeTests {
    @Test func `a code is square, quiet at its edge, and coloured only where it may be`() throws {
        let code = try #require(QRCode("wake://127.0.0.1:8300/#0123456789abcdef"))
        let plain = code.text(isColoured: false)
        let lines = plain.split(separator: "\n")
        #expect(lines.count == 19)
        #expect(lines.allSatisfy { $0.count == 37 })
        #expect(lines[0].allSatisfy { $0 == " " })
        #expect(lines[2].hasPrefix("    █▀▀▀▀▀█ "))
        #expect(!plain.contains("\u{1B}"))
        #expect(code.text(isColoured: true).hasPrefix("\u{1B}[38;5;16;48;5;231m"))
        #expect(QRCode(String(repeating: "x", count: 3000)) == nil)
    }
}
