import Foundation

/// How often random tests run.
///
/// `WAKE_ROUNDS` multiplies the number of seeds; above 1 it also makes sampled tests check more or
/// all of their cases. It is 1 by day and more at night (`make nightly`).
package enum Rounds {
    package static let factor = max(1, number("WAKE_ROUNDS") ?? 1)

    /// The seeds of a test: as many as it usually has, times ``factor``.
    package static func seeds(_ usual: UInt64) -> ClosedRange<UInt64> {
        1...usual * UInt64(factor)
    }

    /// Every `step`th element, and all of them with `WAKE_ROUNDS` of at least `step`.
    ///
    /// Without an offset it always includes the first element. With one, it begins at the rest of
    /// the offset by the step.
    package static func sample<Element>(
        _ elements: [Element],
        every step: Int,
        from offset: Int = 0
    ) -> [Element] {
        let step = max(1, min(step / factor, elements.count))
        return stride(from: offset % step, to: elements.count, by: step).map { elements[$0] }
    }

    /// The cases of every run, and further ones with `WAKE_ROUNDS` above 1.
    package static func cases<Case>(always: [Case], atNight: [Case]) -> [Case] {
        isNight ? always + atNight : always
    }

    /// Whether `WAKE_ROUNDS` is above 1, as in `make nightly`.
    package static var isNight: Bool { factor > 1 }

    /// A whole number in the environment.
    package static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}
