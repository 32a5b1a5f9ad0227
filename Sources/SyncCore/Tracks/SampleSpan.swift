/// Samples of one stream that follow each other in a track.
struct SampleSpan: Hashable, Sendable {
    /// How they are shown.
    enum Cover: Int, Sendable {
        /// As they are.
        case none
        /// Left out, and the way goes on over them.
        case bridged
        /// Left out, and the way ends there.
        case gap
    }

    /// The track that they were recorded in.
    let source: Identifier
    /// Their stream.
    let stream: UInt64
    /// Their places in it; open to `Int.max`, for more may come.
    var range: Range<Int>
    var cover = Cover.none
    /// Whether a segment begins here, whatever the samples say: they come from another part.
    var isApart = false
}

/// The whole of a track, in order, with what is left out.
extension [SampleSpan] {
    /// A track as it was recorded: its streams in order.
    static func recorded(_ source: Identifier, _ streams: [UInt64]) -> [SampleSpan] {
        streams.map { SampleSpan(source: source, stream: $0, range: 0..<Int.max) }
    }

    /// Makes a span begin with a sample, and returns its index.
    ///
    /// Where the sample is no part of the track that is the span after it in its stream, or behind
    /// its stream's last one; nil where the stream is no part of the track either.
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

    /// Makes spans begin at both ends of a range, and returns those between.
    ///
    /// Nil where an end is in a stream that is no part of the track, or they are the wrong way round.
    mutating func bounds(of range: SampleRange) -> Range<Int>? {
        for name in [range.start, range.end] {
            if let name { cut(at: name) }
        }
        // The second cut may have moved the first: both are found again.
        let start = range.start.map { cut(at: $0) } ?? 0
        let end = range.end.map { cut(at: $0) } ?? count
        guard let start, let end, start <= end else { return nil }
        return start..<end
    }

    /// Leaves samples out; of two covers of one sample the one that ends the way counts.
    mutating func leaveOut(_ range: SampleRange, as cover: SampleSpan.Cover) {
        guard let covered = bounds(of: range) else { return }
        for index in covered where self[index].cover.rawValue < cover.rawValue {
            self[index].cover = cover
        }
    }

    /// Lays the edits of a track over it.
    mutating func lay(_ edits: TrackEdits) {
        if edits.trim.start != nil { leaveOut(SampleRange(to: edits.trim.start), as: .gap) }
        if edits.trim.end != nil { leaveOut(SampleRange(from: edits.trim.end), as: .gap) }
        for hiding in edits.hidings.values {
            leaveOut(hiding.range, as: hiding.isBridged ? .bridged : .gap)
        }
    }

    /// A part of a track, with the first sample after it where its way goes on to that.
    ///
    /// So the ways of two parts are that of the whole. Nil where the track has no such range.
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

    /// Whether the last sample is the first of another span, as where two parts of one track meet.
    func goesOn(to next: SampleSpan) -> Bool {
        guard let last, last.range.count == 1, last.cover == .none, next.cover == .none else {
            return false
        }
        return last.source == next.source && last.stream == next.stream
            && last.range.lowerBound == next.range.lowerBound
    }

    /// What is shown, each span apart where what was left out before it ends the way.
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
