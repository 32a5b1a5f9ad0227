/// The stored summary of a chunk, or the computed summary of a part of one.
struct PartSummary {
    let pointCount: Int
    let metres: Double
    let ends: Samples
    /// The range of the times without outliers.
    let times: ClosedRange<UnixTime>?
    /// The bounding box, or nil if the chunk reference gives it.
    var box: ChunkSummary.Box?
}

extension PartSummary {
    init(_ summary: ChunkSummary) {
        self.init(
            pointCount: summary.pointCount,
            metres: summary.distanceMetres,
            ends: summary.ends,
            times: summary.believedTimes,
            box: summary.box
        )
    }
}
