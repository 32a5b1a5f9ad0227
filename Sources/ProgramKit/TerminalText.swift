extension Unicode.Scalar {
    /// Whether the scalar can control a terminal, hide text or change its direction.
    package var isUnsafeOnTerminal: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE007F:
            true
        default: false
        }
    }

    /// Terminal columns (UAX 11): 2 for wide East Asian characters and emoji, 0 for marks.
    fileprivate var columns: Int {
        switch value {
        case 0...0x1F, 0x7F...0x9F: return 0
        case 0x20...0x7E: return 1
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x16FE0...0x18D08, 0x1AFF0...0x1B2FB, 0x20000...0x3FFFD:
            return 2
        default: break
        }
        if properties.isEmojiPresentation { return 2 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return 1
        }
    }
}

extension String {
    /// The text as one line that is safe on a terminal.
    ///
    /// Escape sequences, control characters and direction marks are removed; line breaks and tabs
    /// become spaces.
    package var withoutControls: String {
        guard unicodeScalars.contains(where: \.isUnsafeOnTerminal) else { return self }
        var kept = String.UnicodeScalarView()
        for scalar in withoutEscapes.unicodeScalars {
            if "\n\t\r\u{2028}\u{2029}".unicodeScalars.contains(scalar) {
                kept.append(" ")
            } else if !scalar.isUnsafeOnTerminal {
                kept.append(scalar)
            }
        }
        return String(kept)
    }

    /// The text without escape sequences (ECMA-48).
    ///
    /// A control sequence (CSI) ends with its final byte, a string such as OSC with its terminator,
    /// and any other escape with the next character.
    package var withoutEscapes: String {
        var kept = String.UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar.value {
            case 0x1B: Self.skipEscape(&rest)
            case 0x9B: Self.skipControlSequence(&rest)
            case 0x90, 0x98, 0x9D...0x9F: Self.skipString(&rest)
            default: kept.append(scalar)
            }
        }
        return String(kept)
    }

    private static func skipEscape(_ rest: inout Substring.UnicodeScalarView) {
        switch rest.popFirst() {
        case "[": skipControlSequence(&rest)
        case "]", "P", "X", "^", "_": skipString(&rest)
        default: break
        }
    }

    private static func skipControlSequence(_ rest: inout Substring.UnicodeScalarView) {
        while let scalar = rest.popFirst(), !(0x40...0x7E).contains(scalar.value) {}
    }

    private static func skipString(_ rest: inout Substring.UnicodeScalarView) {
        while let scalar = rest.popFirst(), scalar.value != 0x07, scalar.value != 0x9C {
            if scalar.value == 0x1B {
                _ = rest.popFirst()
                return
            }
        }
    }

    /// The width in terminal columns; escape sequences have none.
    package var displayWidth: Int {
        unicodeScalars.contains("\u{1B}")
            ? withoutEscapes.displayWidth : reduce(0) { $0 + $1.displayWidth }
    }

    /// Pads the text with trailing spaces to a width.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - displayWidth))
    }

    /// Pads the text with leading spaces to a width.
    package func rightAligned(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - displayWidth)) + self
    }

    /// Truncates text that is wider than `width` and ends it with `…`.
    package func shortened(to width: Int) -> String {
        guard displayWidth > width else { return self }
        var kept = ""
        var used = 1
        for character in self {
            used += character.displayWidth
            if used > width { break }
            kept.append(character)
        }
        return width > 0 ? kept + "…" : ""
    }
}

extension Character {
    /// The width in terminal columns; a composed character is as wide as its widest scalar.
    package var displayWidth: Int {
        let widest = unicodeScalars.reduce(0) { max($0, $1.columns) }
        let asEmoji =
            unicodeScalars.contains("\u{FE0F}")
            || unicodeScalars.count > 1
                && unicodeScalars.allSatisfy { (0x1F1E6...0x1F1FF).contains($0.value) }
        return asEmoji ? 2 : widest
    }
}
