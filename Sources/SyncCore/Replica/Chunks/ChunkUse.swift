/// A chunk that a cell names, and the name of its first sample.
struct ChunkUse {
    let first: SampleName
    let reference: ChunkReference

    /// Reads a cell that names a chunk; nil where it is another.
    init?(field: Text, _ cell: Cell) {
        guard let first = SampleName(field: field), let reference = ChunkReference(cell.value)
        else { return nil }
        (self.first, self.reference) = (first, reference)
    }
}
