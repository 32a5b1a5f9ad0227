/// What is kept of a chunk beside its bytes, or read of a part of one.
struct PartSummary {
    let pointCount: Int
    let metres: Double
    let ends: [Sample]
    /// Without those that fixes out of time have.
    let times: ClosedRange<UnixTime>?
    /// Nil where the reference tells it.
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
