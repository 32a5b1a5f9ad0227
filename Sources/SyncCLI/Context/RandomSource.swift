/// Random bits from a closure, so that a test can pass its own.
struct RandomSource: RandomNumberGenerator, Sendable {
    private let draw: @Sendable () -> UInt64

    /// Bits from `draw`, which holds whatever state there is.
    init(draw: @escaping @Sendable () -> UInt64) {
        self.draw = draw
    }

    /// Bits of the operating system.
    static let system = RandomSource { .random(in: .min ... .max) }

    func next() -> UInt64 { draw() }
}
