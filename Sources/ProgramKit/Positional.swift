/// A word that a command takes by its place.
package struct Positional: Hashable, Sendable {
    /// As in the help, without brackets and dots: `FILE`.
    package let name: String
    /// Whether the word may be left out; written `[FILE]`.
    package let isOptional: Bool
    /// Whether it takes all the words that are left; written `FILE...`.
    package let isRepeated: Bool

    /// Reads the notation of the help.
    package init(_ notation: String) {
        isOptional = notation.hasPrefix("[")
        isRepeated = notation.contains("...")
        name = String(notation.filter { !"[].".contains($0) })
    }

    /// The notation of the help.
    package var notation: String {
        let word = isRepeated ? name + "..." : name
        return isOptional ? "[\(word)]" : word
    }
}
