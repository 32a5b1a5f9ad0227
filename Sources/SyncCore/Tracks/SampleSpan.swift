/// Consecutive samples of one stream in a track.
struct SampleSpan: Hashable, Sendable {
    /// How the samples are shown.
    enum Cover: Int, Sendable {
        case none
        /// Left out; the distance bridges the gap.
        case bridged
        /// Left out; the segment ends at the gap.
        case gap
    }

    /// The track that recorded the samples.
    let source: Identifier
    let stream: UInt64
    /// Indices in the stream; open to `Int.max`, because more samples may follow.
    var range: Range<Int>
    var cover = Cover.none
    /// Whether a new segment begins here, whatever the samples say, because they come from another
    /// part.
    var isApart = false
}

/// All samples of a track in order, including hidden ones.
extension [SampleSpan] {
    /// Returns the streams of a recorded track, in order.
    static func recorded(_ source: Identifier, _ streams: [UInt64]) -> [SampleSpan] {
        streams.map { SampleSpan(source: source, stream: $0, range: 0..<Int.max) }
    }

    /// Splits a span so that one begins with the sample, and returns the index of that span.
    ///
    /// If the track lacks the sample, returns the next span of its stream, or the index after the
    /// stream's last span. Returns nil if the track lacks the stream.
    @discardableResult
    private mutating func cut(at name: SampleName) -> Int? {
        guard let last = lastIndex(where: { $0.stream == name.stream }) else { return nil }
        let holding = firstIndex { $0.stream == name.stream && $0.range.contains(name.index) }
        guard let index = holding else {
            let after = firstIndex {
                $0.stream == name.stream && $0.range.lowerBound > name.index
            }
            return after ?? last + 1
        }
        let whole = self[index]
        guard whole.range.lowerBound < name.index else { return index }
        self[index].range = whole.range.lowerBound..<name.index
        var rest = whole
        rest.range = name.index..<whole.range.upperBound
        rest.isApart = false
        insert(rest, at: index + 1)
        return index + 1
    }

    /// Splits spans at both ends of a range and returns the indices between.
    ///
    /// Returns nil if the track lacks the stream of an end, or the ends are in the wrong order.
    mutating func bounds(of range: SampleRange) -> Range<Int>? {
        for name in [range.start, range.end] {
            if let name { cut(at: name) }
        }
        // The second cut may have moved the first, so both are found again.
        let start = range.start.map { cut(at: $0) } ?? 0
        let end = range.end.map { cut(at: $0) } ?? count
        guard let start, let end, start <= end else { return nil }
        return start..<end
    }

    /// Hides samples; of two covers of a sample, `gap` wins over `bridged`.
    mutating func leaveOut(_ range: SampleRange, as cover: SampleSpan.Cover) {
        guard let covered = bounds(of: range) else { return }
        for index in covered where self[index].cover.rawValue < cover.rawValue {
            self[index].cover = cover
        }
    }

    /// Applies the trim and the hidings of a track.
    mutating func lay(_ edits: TrackEdits) {
        if edits.trim.start != nil { leaveOut(SampleRange(to: edits.trim.start), as: .gap) }
        if edits.trim.end != nil { leaveOut(SampleRange(from: edits.trim.end), as: .gap) }
        for hiding in edits.hidings.values {
            leaveOut(hiding.range, as: hiding.isBridged ? .bridged : .gap)
        }
    }

    /// Returns a part of a track, or nil if the track has no such range.
    ///
    /// If the track continues after the part, the first sample after it is included, so that the
    /// distances of two parts add up to that of the whole.
    func part(_ wanted: TrackEdits.Part) -> [SampleSpan]? {
        var all = self
        guard let bounds = all.bounds(of: wanted.range) else { return nil }
        var part = Array(all[bounds])
        let goesOn = wanted.range.end != nil && !wanted.endsWay
        for next in all[bounds.upperBound...] where goesOn {
            if next.cover == .bridged { continue }
            if next.cover == .none, !next.isApart {
                var first = next
                first.range = next.range.lowerBound..<next.range.lowerBound + 1
                part.append(first)
            }
            break
        }
        return part
    }

    /// Whether the last sample is also the first of another span, as where two parts of a track
    /// meet.
    func goesOn(to next: SampleSpan) -> Bool {
        guard let last, last.range.count == 1, last.cover == .none, next.cover == .none
        else { return false }
        return last.source == next.source && last.stream == next.stream
            && last.range.lowerBound == next.range.lowerBound
    }

    /// The shown spans; each is apart if a gap before it ends the segment.
    var shown: [SampleSpan] {
        var shown: [SampleSpan] = []
        var isApart = false
        for stretch in self {
            isApart = isApart || stretch.isApart || stretch.cover == .gap
            guard stretch.cover == .none, !stretch.range.isEmpty else { continue }
            var next = stretch
            next.isApart = isApart && !shown.isEmpty
            shown.append(next)
            isApart = false
        }
        return shown
    }
}
