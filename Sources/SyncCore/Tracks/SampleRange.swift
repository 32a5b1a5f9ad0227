/// A half-open range of samples in the order of their track.
///
/// Encoded as `[start, end]`: each the text of a ``SampleName``, or null if that side is open.
package struct SampleRange: Hashable, Sendable {
    /// The first sample, or nil for the beginning of the track.
    package let start: SampleName?
    /// The first sample after the range, or nil for an open end that includes later samples.
    package let end: SampleName?

    package init(from start: SampleName? = nil, to end: SampleName? = nil) {
        (self.start, self.end) = (start, end)
    }
}

extension SampleRange {
    /// Merges samples, given in order, into the fewest ranges.
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

    /// Decodes the first two elements, or returns nil for anything that ``parts`` would not write.
    init?(_ parts: ArraySlice<Value>) {
        guard let first = parts.first, let second = parts.dropFirst().first else { return nil }
        self.init(from: SampleName(first), to: SampleName(second))
        guard self.parts == [first, second] else { return nil }
    }

    /// The start and the end as elements of a list.
    var parts: [Value] {
        [start, end].map { $0.map { .text($0.field) } ?? .null }
    }
}
