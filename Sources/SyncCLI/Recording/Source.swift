import SyncCore

/// A source of samples: a live receiver or a replayed recording.
protocol Source: Sendable {
    /// Waits for the next event for at most `milliseconds`.
    func next(within milliseconds: Int64) async throws -> SourceEvent
}

/// An event of a source.
enum SourceEvent: Sendable, Equatable {
    /// Bytes from a receiver.
    case bytes([UInt8])
    /// Samples from a recording.
    case samples([Sample])
    /// Nothing arrived in time.
    case silence
    /// The connection broke and is being retried.
    case lost(reason: String)
    /// The connection works again.
    case regained
    /// The file or pipe ended.
    case end
}
