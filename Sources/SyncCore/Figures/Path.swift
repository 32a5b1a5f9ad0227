/// A track as distance over time, for figures about its parts.
///
/// A node per fix takes 32 bytes. Positions between two nodes are interpolated.
package struct Path: Sendable {
    /// A fix along the path, or a position between two.
    struct Node: Sendable {
        /// Metres from the start, without pauses.
        let metres: Double
        /// Seconds from the start, without pauses.
        let recordedSeconds: Double
        /// Unix milliseconds, or nil if unknown.
        let time: Int64?
    }

    private(set) var nodes: [Node] = []
    /// The indices where runs begin: in a run, every fix has a time and none goes backwards.
    private var runStarts: [Int] = []

    mutating func add(_ leg: Leg) {
        if leg.seconds == nil { runStarts.append(nodes.count) }
        let last = nodes.last
        let node = Node(
            metres: (last?.metres ?? 0) + leg.metres,
            recordedSeconds: (last?.recordedSeconds ?? 0) + (leg.isPause ? 0 : leg.seconds ?? 0),
            time: leg.time
        )
        nodes.append(node)
    }

    /// The parts in which time never goes backwards; a run may contain pauses.
    var runs: [ArraySlice<Node>] {
        zip(runStarts, runStarts.dropFirst() + [nodes.count]).map { nodes[$0..<$1] }
    }

    /// Returns the position at a time in Unix milliseconds, clamped to the start and the end.
    ///
    /// Returns nil if a time goes backwards or is missing, or if there is no fix.
    func place(at time: Int64) -> Node? {
        guard runStarts.count == 1, let first = nodes.first, first.time != nil else { return nil }
        let index = nodes.partitioningIndex { ($0.time ?? .max) > time }
        guard index > 0 else { return first }
        let before = nodes[index - 1]
        guard index < nodes.count, let start = before.time, let end = nodes[index].time
        else { return before }
        return Node(before, nodes[index], Double(time - start) / Double(end - start))
    }
}

extension Path.Node {
    /// Interpolates between two nodes at a fraction of the way, without a time.
    init(_ start: Path.Node, _ end: Path.Node, _ share: Double) {
        time = nil
        metres = start.metres + share * (end.metres - start.metres)
        recordedSeconds =
            start.recordedSeconds + share * (end.recordedSeconds - start.recordedSeconds)
    }
}
