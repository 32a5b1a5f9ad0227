/// A cell on its way into a replica.
public struct Change: Hashable, Sendable {
    /// The place of the cell.
    public let key: Key
    /// The written value and its stamp.
    public let cell: Cell

    package init(key: Key, cell: Cell) { (self.key, self.cell) = (key, cell) }
}
