/// The edits of a track, laid over its samples, which never change.
///
/// Each edit is a cell of the track's row, so edits of several devices merge as all cells do.
/// Unsetting the cell undoes the edit.
package struct TrackEdits: Hashable, Sendable {
    /// Samples that are left out.
    package struct Hiding: Hashable, Sendable {
        package let range: SampleRange
        /// Whether the distance continues from the sample before to the one after.
        ///
        /// Right for an outlier; otherwise a segment ends there.
        package let isBridged: Bool

        package init(_ range: SampleRange, isBridged: Bool) {
            (self.range, self.isBridged) = (range, isBridged)
        }
    }

    /// Samples of another track that this one shows.
    package struct Part: Hashable, Sendable {
        package let source: Identifier
        package let range: SampleRange
        /// Whether the segment ends with the part instead of continuing to the next sample.
        package let endsWay: Bool

        package init(
            _ source: Identifier,
            _ range: SampleRange = SampleRange(),
            endsWay: Bool = false
        ) {
            (self.source, self.range, self.endsWay) = (source, range, endsWay)
        }
    }

    /// The first kept sample, and the first sample after the kept ones.
    package var trim = SampleRange()
    /// The hidings, by the word after `hide/` in their field.
    package var hidings: [Text: Hiding] = [:]
    /// The parts in order if the track comes from a split or a join, otherwise nil.
    package var parts: [Part]?
    /// The tracks that replace this one, ascending.
    package var successors: [Identifier] = []

    package var isEmpty: Bool { self == TrackEdits() }

    /// Whether the edits leave samples out.
    var coversSamples: Bool { trim != SampleRange() || !hidings.isEmpty }
}

/// The cells of the edits.
extension TrackEdits {
    /// The field of the first kept sample.
    package static let trimStart: Text = "trim/start"
    /// The field of the first sample after the kept ones.
    package static let trimEnd: Text = "trim/end"
    /// The prefix of the fields that hold `[start, end, is bridged]`.
    package static let hidePrefix = "hide/"
    /// The field that holds a list of `[track, start, end, ends its way]`.
    package static let parts: Text = "parts"
    /// The field that holds a list of tracks.
    package static let supersededBy: Text = "supersededBy"

    /// Decodes a track's row.
    ///
    /// Malformed cells have no effect, except that unreadable parts count as an empty list.
    package init(_ cells: [Text: Cell]) {
        let (start, end) = (cells[Self.trimStart]?.value, cells[Self.trimEnd]?.value)
        trim = SampleRange(from: SampleName(start), to: SampleName(end))
        let hidden = cells.keys.filter { $0.string.hasPrefix(Self.hidePrefix) }.sorted()
        for field in hidden.prefix(Self.hidingLimit) {
            guard let hiding = cells[field].flatMap({ Hiding($0.value) }) else { continue }
            hidings[Text(String(field.string.dropFirst(Self.hidePrefix.count)))] = hiding
        }
        if let written = cells[Self.parts]?.value, written != .null {
            // If a single part is unreadable, the content of the track is unknown.
            let read = (written.list ?? []).map { Part($0) }
            let parts = read.compactMap { $0 }
            self.parts = parts.count == read.count && parts.count <= Self.partLimit ? parts : []
        }
        let named = cells[Self.supersededBy]?.value.list?.compactMap(Identifier.init) ?? []
        if named.count <= Self.partLimit { successors = Set(named).sorted() }
    }

    /// The most tracks that a track can be made of, or split into.
    package static let partLimit = 1000
    /// The most ranges that can be left out of a track; further ones, ordered by field, are
    /// ignored.
    package static let hidingLimit = 4096

    /// Returns the cell that names a track's successors.
    package static func value(of successors: [Identifier]) -> Value {
        .list(Set(successors).sorted().map { .bytes($0.bytes) })
    }
}

extension TrackEdits.Hiding {
    /// Decodes ``value``, or returns nil for anything else.
    package init?(_ value: Value) {
        guard let parts = value.list, let range = SampleRange(parts[...]) else { return nil }
        self.init(range, isBridged: parts.dropFirst(2).first?.bool == true)
    }

    package var value: Value { .list(range.parts + [.bool(isBridged)]) }
}

extension TrackEdits.Part {
    /// Decodes ``value``, or returns nil for anything else.
    package init?(_ value: Value) {
        guard let parts = value.list, let source = parts.first.flatMap(Identifier.init),
            let range = SampleRange(parts.dropFirst())
        else { return nil }
        self.init(source, range, endsWay: parts.dropFirst(3).first?.bool == true)
    }

    /// The element in the list of parts.
    package var value: Value { .list([.bytes(source.bytes)] + range.parts + [.bool(endsWay)]) }
}

extension Identifier {
    fileprivate init?(_ value: Value) {
        guard let bytes = value.bytes else { return nil }
        self.init(bytes: bytes)
    }
}
