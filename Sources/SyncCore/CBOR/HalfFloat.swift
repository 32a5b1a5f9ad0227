/// An IEEE 754 binary16, which Swift has no portable type for on x86.
struct HalfFloat {
    /// Sign, 5 bits of exponent, 10 bits of fraction.
    let bits: UInt16

    init(bits: UInt16) {
        self.bits = bits
    }

    /// The same number in 16 bits; nil where that is not possible, and for anything not finite.
    init?(exactly number: Double) {
        let sign: UInt16 = number.sign == .minus ? 0x8000 : 0
        guard number != 0 else {
            bits = sign
            return
        }
        let magnitude = number.magnitude
        guard number.isFinite, magnitude <= 65504 else { return nil }
        let exponent = max(Int(magnitude.exponent), -14)
        let scaled = magnitude * Double(sign: .plus, exponent: 10 - exponent, significand: 1)
        guard let fraction = UInt16(exactly: scaled) else { return nil }
        let biased = UInt16(fraction >= 0x400 ? exponent + 15 : 0)
        bits = sign | biased << 10 | fraction & 0x3ff
    }

    /// The number; infinite or NaN where all bits of the exponent are set.
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
