/// Samples in the order of their track, from one up to another and without that one.
///
/// Encoded as `[start, end]`, each the text of a ``SampleName``, null where it is open.
package struct SampleRange: Hashable, Sendable {
    /// The first; nil from the beginning.
    package let start: SampleName?
    /// The first that is no part of it; nil to the end, with whatever comes there.
    package let end: SampleName?

    /// The samples between two.
    package init(from start: SampleName? = nil, to end: SampleName? = nil) {
        (self.start, self.end) = (start, end)
    }
}

extension SampleRange {
    /// The fewest ranges of so many samples in their order.
    package static func ranges(of names: [SampleName]) -> [SampleRange] {
        var ranges: [SampleRange] = []
        for name in names {
            if let last = ranges.last, last.end == name {
                ranges[ranges.count - 1] = SampleRange(from: last.start, to: name.next)
            } else {
                ranges.append(SampleRange(from: name, to: name.next))
            }
        }
        return ranges
    }

    /// Reads the first two parts of a list; nil for anything else than ``value`` writes.
    init?(_ parts: ArraySlice<Value>) {
        let ends = parts.prefix(2).map(Bound.init)
        guard ends.count == 2, let start = ends[0], let end = ends[1] else { return nil }
        self.init(from: start.name, to: end.name)
    }

    /// The two parts.
    var parts: [Value] {
        [start, end].map { $0.map { .text($0.field) } ?? .null }
    }

    private struct Bound {
        let name: SampleName?

        init?(_ value: Value) {
            switch value {
            case .null: name = nil
            case .text(let field):
                guard let name = SampleName(field: field) else { return nil }
                self.name = name
            default: return nil
            }
        }
    }
}
