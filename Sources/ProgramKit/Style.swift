/// A text style of a terminal, with its SGR code (ECMA-48).
package enum Style: Int, Sendable {
    case bold = 1
    case dim = 2
    case red = 31
    case green = 32
    case yellow = 33

    /// Returns the text between the style's escape sequences.
    package func apply(to text: String) -> String {
        "\u{1B}[\(rawValue)m\(text)\u{1B}[0m"
    }
}
