/// A random number generator over a closure, so that a test can supply its own bits.
struct RandomSource: RandomNumberGenerator, Sendable {
    private let draw: @Sendable () -> UInt64

    /// Creates a generator; `draw` holds any state itself.
    init(draw: @escaping @Sendable () -> UInt64) {
        self.draw = draw
    }

    /// The operating system's generator.
    static let system = RandomSource { .random(in: .min ... .max) }

    func next() -> UInt64 { draw() }
}
