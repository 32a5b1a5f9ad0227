/// A positional argument of a command.
package struct Positional: Hashable, Sendable {
    /// The name in the help, without brackets and dots: `FILE`.
    package let name: String
    /// Whether the argument may be omitted; written `[FILE]`.
    package let isOptional: Bool
    /// Whether it takes all remaining words; written `FILE...`.
    package let isRepeated: Bool

    /// Parses help notation.
    package init(_ notation: String) {
        isOptional = notation.hasPrefix("[")
        isRepeated = notation.contains("...")
        name = String(notation.filter { !"[].".contains($0) })
    }

    /// The argument in help notation.
    package var notation: String {
        let word = isRepeated ? name + "..." : name
        return isOptional ? "[\(word)]" : word
    }
}
