import Testing

@testable import SyncServer

/// A call that changes a store, made of values alone, so that it can be repeated as it is.
struct StoreCall: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the same call answers when it is made again; nil for what it answered before.
    var repeated: Repeated = .same
    /// Whether a ``StoreState`` shows what the call did.
    var isSeen = true
    /// Makes the call; returns its answer in words.
    let make: @Sendable (any Store) async throws -> String

    enum Repeated: Sendable {
        case same
        /// Another answer, as the contract says of this call.
        case other(String)
        case failing(StoreError)
    }

    var testDescription: String { name }

    init(
        _ name: String,
        repeated: Repeated = .same,
        isSeen: Bool = true,
        _ make: @escaping @Sendable (any Store) async throws -> some Sendable
    ) {
        self.name = name
        self.repeated = repeated
        self.isSeen = isSeen
        self.make = { "\(try await make($0))" }
    }
}
