/// A part of a track of a given length, or the rest at its end.
package struct Split: Hashable, Sendable {
    package enum Unit: String, CaseIterable, Sendable {
        case kilometre = "km"
        case mile = "mile"
        case nauticalMile = "nm"

        package var metres: Double {
            switch self {
            case .kilometre: 1000
            case .mile: 1609.344
            case .nauticalMile: 1852
            }
        }
    }

    /// Metres; only the last split may be shorter than the requested length.
    package let metres: Double
    /// The duration without pauses, or nil if no times are known.
    package let seconds: Double?

    /// The most splits of a track; a few hostile points can make it arbitrarily long.
    package static let limit = 10_000
}

extension Path {
    /// Splits the path every `length` metres and returns the first ``Split/limit`` parts.
    ///
    /// Ends between two fixes are interpolated.
    package func splits(every length: Double) -> [Split] {
        var splits: [Split] = []
        var start = Node(metres: 0, recordedSeconds: 0, time: nil)
        func take(_ end: Node) {
            let seconds = end.recordedSeconds - start.recordedSeconds
            let isTimed = nodes.last.map { $0.recordedSeconds > 0 } == true
            let metres = end.metres - start.metres
            splits.append(Split(metres: metres, seconds: isTimed ? seconds : nil))
            start = end
        }
        for (before, node) in zip(nodes, nodes.dropFirst()) {
            while node.metres >= Double(splits.count + 1) * length {
                guard splits.count < Split.limit else { return splits }
                let metres = Double(splits.count + 1) * length
                let share = (metres - before.metres) / (node.metres - before.metres)
                take(Node(before, node, share))
            }
        }
        if let last = nodes.last, last.metres > start.metres, splits.count < Split.limit {
            take(last)
        }
        return splits
    }
}

extension Path {
    /// Returns the part between two times, or nil unless ``place(at:)`` knows both.
    package func span(from start: UnixTime, to end: UnixTime) -> Split? {
        guard let first = place(at: start.milliseconds), let last = place(at: end.milliseconds),
            last.metres >= first.metres
        else { return nil }
        return Split(
            metres: last.metres - first.metres,
            seconds: last.recordedSeconds - first.recordedSeconds
        )
    }
}
