/// The writes to each row, read from the kept change sets through the set numbers of each row.
public struct RowHistory: ReplicaPart {
    /// The context that all parts share.
    public let context: ReplicaContext

    /// Returns the value that a field had before its present one, or null if it had none.
    ///
    /// Both values may come from any replica. A value that this device overwrote before sealing is
    /// in no set; the actions have it.
    package func earlierValue(of key: Key, in space: Identifier) throws -> Value {
        let known = try entries(of: key.collection, key.row, in: space).filter {
            $0.change.key.field == key.field && $0.state.counts
        }
        let present = known.last { $0.isWinner }
        let value = present?.change.cell.value
        let other = known.last { $0.change.cell.value != value }?.change.cell
        // A value that was written again without a change is not of that action.
        if present?.state == .unsealed, let value,
            let write = try actions.lastWrite(of: value, at: key, in: space),
            other.map({ $0.stamp.wall <= write.time }) ?? true
        {
            return write.before
        }
        return other?.value ?? .null
    }
}

/// One write to a row.
public struct HistoryEntry: Hashable, Sendable {
    /// The change.
    public let change: Change
    /// The state of the write.
    public let state: State
    /// Whether readers see this value now.
    public let isWinner: Bool
    /// Whether the time may be wrong.
    ///
    /// This device wrote it, and the machine was restarted before a server told the time.
    public let isTimeUnchecked: Bool

    /// The state of a write.
    public enum State: Hashable, Sendable {
        /// On this device only, not sealed yet.
        case unsealed
        /// Sealed and waiting to be sent.
        case queued
        /// In the log at this position.
        case accepted(position: UInt64)
        /// In the log, waiting for an admin.
        case held
        /// In the log, merged by nobody.
        case refused(reason: String)
    }
}

extension HistoryEntry.State {
    /// Whether the write is part of the merged state, or will be.
    var counts: Bool {
        switch self {
        case .unsealed, .queued, .accepted: true
        case .held, .refused: false
        }
    }
}

extension RowHistory {
    /// Returns every known write to a row, the oldest first.
    ///
    /// The change sets are the only history. A body holds the last write of each field, so values
    /// that were overwritten before sealing are missing.
    public func entries(
        of collection: Text,
        _ row: Row,
        in space: Identifier
    ) throws -> [HistoryEntry] {
        let stored = try rows.find(try spaces.number(ofSpace: space), collection, row)
        guard let stored else { return [] }
        let (winners, name) = (stored.cells, stored.key(""))
        var written: [(change: Change, state: HistoryEntry.State, isUnchecked: Bool)] = []
        try eachSet(touching: stored.number, in: space) { set, statement in
            let (state, isUnchecked) = (Self.state(statement), statement.integer(5) == 1)
            written += set.cells.changes(ofRow: name).map { ($0, state, isUnchecked) }
        }
        written += try unsealed.changes(atRow: stored.number).map { ($0, .unsealed, false) }
        return written.sorted { $0.change.cell < $1.change.cell }
            .map { change, state, isUnchecked in
                HistoryEntry(
                    change: change,
                    state: state,
                    isWinner: winners[change.key.field] == change.cell,
                    isTimeUnchecked: isUnchecked && !change.cell.stamp.isTimeless
                )
            }
    }

    private static func state(_ row: Statement) -> HistoryEntry.State {
        switch row.isNull(3) ? nil : Verdict(rawValue: row.unsigned(3)) {
        case .held: .held
        case .refused: .refused(reason: row.text(4))
        case .accepted, nil:
            row.isNull(2) ? .queued : .accepted(position: row.unsigned(2))
        }
    }
}
