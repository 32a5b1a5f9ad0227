/// An IEEE 754 binary16 number, for which Swift has no portable type on x86.
struct HalfFloat {
    /// 1 sign bit, 5 exponent bits, 10 fraction bits.
    let bits: UInt16
}

extension HalfFloat {
    /// Converts a number exactly, or returns nil if it is not finite or does not fit binary16.
    init?(exactly number: Double) {
        let sign: UInt16 = number.sign == .minus ? 0x8000 : 0
        let magnitude = number.magnitude
        guard number.isFinite, magnitude <= 65504 else { return nil }
        let exponent = max(Int(magnitude.exponent), -14)
        let scaled = magnitude * Double(sign: .plus, exponent: 10 - exponent, significand: 1)
        guard let fraction = UInt16(exactly: scaled) else { return nil }
        let biased = UInt16(fraction >= 0x400 ? exponent + 15 : 0)
        self.init(bits: sign | biased << 10 | fraction & 0x3ff)
    }

    /// The number; infinity or NaN if all exponent bits are set.
    var double: Double {
        let sign: FloatingPointSign = bits & 0x8000 == 0 ? .plus : .minus
        let exponent = Int(bits >> 10 & 0x1f)
        let fraction = Double(bits & 0x3ff)
        switch exponent {
        case 0: return Double(sign: sign, exponent: -24, significand: fraction)
        case 31: return fraction == 0 ? Double(sign: sign, exponent: 2000, significand: 1) : .nan
        default: return Double(sign: sign, exponent: exponent - 25, significand: fraction + 1024)
        }
    }
}
