internal import Glibc

extension Double {
    /// The number with exactly so many decimals, rounded half away from zero, never an exponent.
    ///
    /// `–` where it is not finite, and where it is beyond the whole numbers of 64 bits.
    func fixed(_ decimals: Int) -> String {
        let power = pow(10, Double(decimals))
        guard isFinite, let scaled = Int64(exactly: (self * power).rounded()) else { return "–" }
        let digits = String(scaled.magnitude)
        let missing = max(0, decimals + 1 - digits.count)
        let padded = String(repeating: "0", count: missing) + digits
        let sign = scaled < 0 ? "-" : ""
        guard decimals > 0 else { return sign + padded }
        return "\(sign)\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
    }
}

/// Amounts of bytes for people.
enum ByteCount {
    /// Three digits or so, in powers of 1000: `512 B`, `3.4 kB`, `1.2 MB`.
    static func text(_ count: Double) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var (value, index) = (count, 0)
        while value >= 999.5, index < units.count - 1 {
            value /= 1000
            index += 1
        }
        return "\(value.fixed(index == 0 || value >= 99.95 ? 0 : 1)) \(units[index])"
    }
}
