/// What people laid over the samples of a track, which themselves never change.
///
/// Each edit is a cell of the track's row, so edits of several devices merge as all cells do, and
/// whoever unsets a cell undoes it.
package struct TrackEdits: Hashable, Sendable {
    /// Samples that are left out.
    package struct Hiding: Hashable, Sendable {
        /// Which ones.
        package let range: SampleRange
        /// Whether the way goes on from the sample before to the one after, as it should without an
        /// outlier; without, a segment ends there.
        package let isBridged: Bool

        /// Leaves out samples.
        package init(_ range: SampleRange, isBridged: Bool) {
            (self.range, self.isBridged) = (range, isBridged)
        }
    }

    /// Samples of another track that are shown in this one.
    package struct Part: Hashable, Sendable {
        /// The track that they are from.
        package let source: Identifier
        /// Which ones.
        package let range: SampleRange
        /// Whether the way ends with them, and does not go on to the first sample after them.
        package let endsWay: Bool

        /// Samples of a track.
        package init(
            _ source: Identifier,
            _ range: SampleRange = SampleRange(),
            endsWay: Bool = false
        ) {
            (self.source, self.range, self.endsWay) = (source, range, endsWay)
        }
    }

    /// The first sample that is kept, and the first after those that are.
    package var trim = SampleRange()
    /// By the word behind `hide/` in the name of their fields.
    package var hidings: [Text: Hiding] = [:]
    /// Of a track that came from a split or a join what it shows, in order; nil of any other.
    package var parts: [Part]?
    /// The tracks that take this one's place, ascending.
    package var successors: [Identifier] = []

    /// None.
    package init() {}

    /// Whether there is nothing.
    package var isEmpty: Bool { self == TrackEdits() }

    /// Whether they leave samples out.
    var coversSamples: Bool { trim != SampleRange() || !hidings.isEmpty }
}

/// The cells.
extension TrackEdits {
    /// The first sample that is kept.
    package static let trimStart: Text = "trim/start"
    /// The first sample after those that are kept.
    package static let trimEnd: Text = "trim/end"
    /// Begins the name of a field that holds `[start, end, is bridged]`.
    package static let hidePrefix = "hide/"
    /// A list of `[track, start, end, ends its way]`.
    package static let parts: Text = "parts"
    /// A list of tracks.
    package static let supersededBy: Text = "supersededBy"

    /// Reads a track's row; what has another shape lays nothing over it.
    package init(_ cells: [Text: Cell]) {
        func name(_ field: Text) -> SampleName? {
            guard case .text(let text)? = cells[field]?.value else { return nil }
            return SampleName(field: text)
        }
        trim = SampleRange(from: name(Self.trimStart), to: name(Self.trimEnd))
        let hidden = cells.keys.filter { $0.string.hasPrefix(Self.hidePrefix) }.sorted()
        for field in hidden.prefix(Self.hidingLimit) {
            guard let hiding = cells[field].flatMap({ Hiding($0.value) }) else { continue }
            hidings[Text(String(field.string.dropFirst(Self.hidePrefix.count)))] = hiding
        }
        if let written = cells[Self.parts]?.value, written != .null {
            // Who cannot read one of them does not know what the track is made of.
            let read = (written.list ?? []).map { Part($0) }
            let parts = read.compactMap { $0 }
            self.parts = parts.count == read.count && parts.count <= Self.partLimit ? parts : []
        }
        let named = cells[Self.supersededBy]?.value.list?.compactMap(Identifier.init) ?? []
        if named.count <= Self.partLimit { successors = Set(named).sorted() }
    }

    /// So many tracks can be made of one, or one of them.
    package static let partLimit = 1000
    /// So many ranges can be left out of a track; more of them, by their names, leave nothing out.
    package static let hidingLimit = 4096

    /// The cell that names the tracks in the place of another.
    package static func value(of successors: [Identifier]) -> Value {
        .list(Set(successors).sorted().map { .bytes($0.bytes) })
    }
}

extension TrackEdits.Hiding {
    /// Reads ``value``; nil for anything else.
    package init?(_ value: Value) {
        guard let parts = value.list, let range = SampleRange(parts[...]) else { return nil }
        self.init(range, isBridged: parts.dropFirst(2).first?.bool == true)
    }

    /// The cell.
    package var value: Value { .list(range.parts + [.bool(isBridged)]) }
}

extension TrackEdits.Part {
    /// Reads ``value``; nil for anything else.
    package init?(_ value: Value) {
        guard let parts = value.list, let source = parts.first.flatMap(Identifier.init),
            let range = SampleRange(parts.dropFirst())
        else { return nil }
        self.init(source, range, endsWay: parts.dropFirst(3).first?.bool == true)
    }

    /// An element of the cell.
    package var value: Value { .list([.bytes(source.bytes)] + range.parts + [.bool(endsWay)]) }
}

extension Identifier {
    fileprivate init?(_ value: Value) {
        guard let bytes = value.bytes else { return nil }
        self.init(bytes: bytes)
    }
}
