/// The way of a track by its metres and its time, for everything that looks at parts of it.
///
/// A node a fix, 32 bytes; between two nodes one went evenly.
package struct Path: Sendable {
    /// A fix along the way.
    struct Node: Sendable {
        /// Metres from the start, not across pauses.
        let metres: Double
        /// Seconds from the start, pauses left out.
        let recordedSeconds: Double
        /// Unix milliseconds.
        let time: Int64?
    }

    /// A place along the way.
    package struct Place: Hashable, Sendable {
        /// Metres from the start, not across pauses.
        package let metres: Double
        /// Seconds from the start, pauses left out.
        package let recordedSeconds: Double
    }

    private(set) var nodes: [Node] = []
    /// Where parts begin in which every fix has a time and none goes back.
    private var runStarts: [Int] = []

    /// Nothing yet.
    init() {}

    /// Goes on along a leg.
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

    /// The parts in which time goes on; pauses lie within them.
    var runs: [ArraySlice<Node>] {
        zip(runStarts, runStarts.dropFirst() + [nodes.count]).map { nodes[$0..<$1] }
    }

    /// Where one was at a time in Unix milliseconds, before the start at the start, and after the end at
    /// the end; nil where times go back or are not known, or nothing is there.
    package func place(at time: Int64) -> Place? {
        guard runStarts.count == 1, let first = nodes.first, first.time != nil else { return nil }
        let index = firstNode { ($0.time ?? .max) > time }
        guard index > 0 else { return Place(first) }
        let before = nodes[index - 1]
        guard index < nodes.count, let start = before.time, let end = nodes[index].time else {
            return Place(before)
        }
        return Place(before, nodes[index], Double(time - start) / Double(end - start))
    }

    /// The first node for which something holds that holds for all after it too.
    private func firstNode(where isBeyond: (Node) -> Bool) -> Int {
        var (low, high) = (0, nodes.count)
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(nodes[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Path.Place {
    init(_ node: Path.Node) {
        metres = node.metres
        recordedSeconds = node.recordedSeconds
    }

    /// Between two nodes, at a share of the way or of the time.
    init(_ start: Path.Node, _ end: Path.Node, _ share: Double) {
        metres = start.metres + share * (end.metres - start.metres)
        recordedSeconds =
            start.recordedSeconds + share * (end.recordedSeconds - start.recordedSeconds)
    }
}
