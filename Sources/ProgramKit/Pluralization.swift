extension BinaryInteger {
    /// Formats a count with its noun: `1 track`, `3 tracks`, or `2 boxes` if `many` is given.
    package func counted(_ one: String, _ many: String? = nil) -> String {
        "\(self) \(self == 1 ? one : many ?? one + "s")"
    }
}
