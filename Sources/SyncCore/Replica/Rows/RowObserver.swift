/// Collects changes of rows and chunks, and updates derived data before each commit.
protocol RowObserver: AnyObject {
    /// Discards the changes of an earlier transaction.
    ///
    /// Called before each transaction.
    func forget()
    func rowSaved(_ row: StoredRow) throws
    /// Records that a row's chunks arrived or changed.
    func chunksChanged(of row: RowAddress)
    /// Updates everything that depends on the collected changes.
    func update(in replica: some ReplicaPart) throws
}

/// A row named by an id, in one of the spaces.
struct RowAddress: Hashable {
    let space: Int64
    let id: Identifier
}
