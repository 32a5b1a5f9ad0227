/// The use of a chunk by a cell, with the name of the chunk's first sample.
struct ChunkUse {
    let first: SampleName
    let reference: ChunkReference

    /// Reads a cell that names a chunk, or returns nil if it names none.
    init?(field: Text, _ cell: Cell) {
        guard let first = SampleName(field: field), let reference = ChunkReference(cell)
        else { return nil }
        (self.first, self.reference) = (first, reference)
    }
}
