/// A random number generator over a closure, so that a test can supply its own bits.
struct RandomSource: RandomNumberGenerator, Sendable {
    /// Returns the next bits, and holds any state itself.
    let draw: @Sendable () -> UInt64

    /// The operating system's generator.
    static let system = RandomSource { .random(in: .min ... .max) }

    func next() -> UInt64 { draw() }
}
