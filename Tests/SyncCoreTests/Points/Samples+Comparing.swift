@testable import SyncCore

extension Samples {
    /// Whether these are the samples of an array, as tests write them down.
    static func == (left: Samples, right: [Sample]) -> Bool { Array(left) == right }
}
