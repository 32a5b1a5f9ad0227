extension BinaryInteger {
    /// The number and what is counted: `1 track`, `3 tracks`, `2 boxes` where many is told.
    package func counted(_ one: String, _ many: String? = nil) -> String {
        "\(self) \(self == 1 ? one : many ?? one + "s")"
    }
}
