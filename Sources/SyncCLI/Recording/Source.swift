import SyncCore

/// Where a recorder's samples come from: what a receiver sends, or a recording that is played again.
protocol Source: Sendable {
    /// Waits for what comes next, at most so long.
    func next(within milliseconds: Int64) async throws -> SourceEvent
}

/// What came of waiting for a source.
enum SourceEvent: Sendable, Equatable {
    /// What a receiver sent.
    case bytes([UInt8])
    /// What a recording has.
    case samples([Sample])
    /// Nothing came within the time.
    case silence
    /// The connection broke; it is tried again.
    case lost(reason: String)
    /// The connection is there again.
    case regained
    /// The file or pipe is at its end.
    case end
}
