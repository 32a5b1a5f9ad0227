internal import CQREncode

/// A QR code (ISO/IEC 18004) for a terminal.
struct QRCode: Sendable {
    /// Light modules around the code: the standard asks for four.
    private static let quietZone = 4

    private let size: Int
    private let modules: [Bool]

    /// Encodes text at error correction level L; nil where it is longer than any code can hold.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        var modules = [UInt8](repeating: 0, count: Int(CQRENCODE_ROOM))
        size = Int(unsafe cqrencode_encode(bytes, bytes.count, &modules))
        guard size > 0 else { return nil }
        self.modules = modules.prefix(size * size).map { $0 == 1 }
    }

    /// Draws two modules in each character.
    ///
    /// With colours the code is black on white whatever the terminal's theme; without, dark modules
    /// are drawn in the colour of the text.
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
