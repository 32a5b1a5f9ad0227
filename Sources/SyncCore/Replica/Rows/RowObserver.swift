/// Keeps what follows from rows and chunks: told when they change, brought up to date before a
/// transaction commits.
protocol RowObserver: AnyObject {
    /// Forgets what an earlier transaction left; called before each one.
    func forget()
    /// A row was saved.
    func rowSaved(_ row: StoredRow) throws
    /// What is here of the chunks that a row names has changed.
    func chunksChanged(of row: RowAddress)
    /// Brings everything that follows from the changes up to date.
    func update(in replica: some ReplicaPart) throws
}

/// A row whose name is an id, in one of the spaces.
struct RowAddress: Hashable {
    let space: Int64
    let id: Identifier
}
