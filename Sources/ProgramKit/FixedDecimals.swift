internal import Glibc

extension Double {
    /// Formats the number with this many decimals, rounded half away from zero; no exponent.
    ///
    /// Returns `–` if the number is not finite or the scaled number does not fit 64 bits.
    package func fixed(_ decimals: Int) -> String {
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
