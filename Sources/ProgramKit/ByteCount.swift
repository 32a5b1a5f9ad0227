/// Byte counts for display.
package enum ByteCount {
    /// Formats a count with about three digits, in powers of 1000: `512 B`, `3.4 kB`, `1.2 MB`.
    package static func text(_ count: Double) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var (value, index) = (count, 0)
        while value >= 999.5, index < units.count - 1 {
            value /= 1000
            index += 1
        }
        return "\(value.fixed(index == 0 || value >= 99.95 ? 0 : 1)) \(units[index])"
    }
}
