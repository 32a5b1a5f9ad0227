import Foundation
package import Testing

/// How often random tests run.
///
/// `WAKE_ROUNDS` multiplies every count; it is 1 by day and more at night (`make nightly`).
package enum Rounds {
    package static let factor = max(1, number("WAKE_ROUNDS") ?? 1)

    /// The seeds of a test: as many as it usually has, times ``factor``.
    package static func seeds(_ usual: UInt64) -> ClosedRange<UInt64> {
        1...usual * UInt64(factor)
    }

    /// Every `step`th element, and more of them at night; never fewer than the first.
    package static func sample<Element>(_ elements: [Element], every step: Int) -> [Element] {
        stride(from: 0, to: elements.count, by: max(1, step / factor)).map { elements[$0] }
    }

    /// Whether this is a run of `make nightly`.
    package static var isNight: Bool { factor > 1 }

    /// A whole number in the environment.
    package static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}

extension Trait where Self == ConditionTrait {
    /// For a test that takes long even once: it runs with `WAKE_ROUNDS` above 1.
    package static var nightly: ConditionTrait { .enabled(if: Rounds.isNight, "at night") }
}
