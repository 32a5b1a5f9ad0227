/// A track as distance over time, for figures about its parts.
///
/// A node per fix takes 32 bytes. Positions between two nodes are interpolated.
package struct Path: Sendable {
    /// A fix along the path.
    struct Node: Sendable {
        /// Metres from the start, without pauses.
        let metres: Double
        /// Seconds from the start, without pauses.
        let recordedSeconds: Double
        /// Unix milliseconds.
        let time: Int64?
    }

    /// A position along the path.
    package struct Place: Hashable, Sendable {
        /// Metres from the start, without pauses.
        package let metres: Double
        /// Seconds from the start, without pauses.
        package let recordedSeconds: Double
    }

    private(set) var nodes: [Node] = []
    /// The indices where runs begin: in a run, every fix has a time and none goes backwards.
    private var runStarts: [Int] = []

    init() {}

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
    package func place(at time: Int64) -> Place? {
        guard runStarts.count == 1, let first = nodes.first, first.time != nil else { return nil }
        let index = nodes.partitioningIndex { ($0.time ?? .max) > time }
        guard index > 0 else { return Place(first) }
        let before = nodes[index - 1]
        guard index < nodes.count, let start = before.time, let end = nodes[index].time
        else { return Place(before) }
        return Place(before, nodes[index], Double(time - start) / Double(end - start))
    }
}

extension Path.Place {
    init(_ node: Path.Node) {
        metres = node.metres
        recordedSeconds = node.recordedSeconds
    }

    /// Interpolates between two nodes at a fraction of the way.
    init(_ start: Path.Node, _ end: Path.Node, _ share: Double) {
        metres = start.metres + share * (end.metres - start.metres)
        recordedSeconds =
            start.recordedSeconds + share * (end.recordedSeconds - start.recordedSeconds)
    }
}
