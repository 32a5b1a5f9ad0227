internal import CQREncode

/// A QR code (ISO/IEC 18004) for a terminal.
struct QRCode: Sendable {
    /// The width of the light margin in modules; the standard requires four.
    private static let quietZone = 4

    private let size: Int
    private let modules: [Bool]

    /// Encodes text at error correction level L, or returns nil if it is too long for a QR code.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        var modules = [UInt8](repeating: 0, count: Int(CQRENCODE_ROOM))
        size = Int(unsafe cqrencode_encode(bytes, bytes.count, &modules))
        guard size > 0 else { return nil }
        self.modules = modules.prefix(size * size).map { $0 == 1 }
    }

    /// Draws two modules per character.
    ///
    /// With colours, the code is black on white in any terminal theme. Without, dark modules have
    /// the text colour.
    func text(isColoured: Bool) -> String {
        let range = -Self.quietZone..<size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let line = String(range.map { Self.block(isDark(row, $0), isDark(row + 1, $0)) })
            return (isColoured ? "\u{1B}[38;5;16;48;5;231m\(line)\u{1B}[0m" : line) + "\n"
        }.joined()
    }

    private func isDark(_ row: Int, _ column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return modules[row * size + column]
    }

    private static func block(_ upper: Bool, _ lower: Bool) -> Character {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
