/// A cache of chunk summaries for one update of related tracks, which share chunks.
final class ChunkSums {
    /// The maximum number of entries of each kind, some kilobytes each; 0 if there is only one
    /// track.
    private let limit: Int

    init(isShared: Bool = false) { limit = isShared ? 2000 : 0 }

    /// A part of a chunk, with the rule for its outliers.
    struct Part: Hashable {
        let hash: Digest
        /// The samples' indices in the chunk, or nil for all of them.
        let range: Range<Int>?
        let rule: FixRule
    }

    private struct Name: Hashable {
        let place: RowAddress
        let first: SampleName
        let hash: Digest
    }

    private struct Meeting: Hashable {
        let before: Part
        let after: Part
    }

    private var present: [Name: Digest?] = [:]
    private var parts: [Part: PartSummary] = [:]
    private var meetings: [Meeting: Double] = [:]
    let last = LastChunk()

    /// Returns the chunk that is read for a piece, or nil if none is available.
    func chunk(
        of piece: ChunkUse,
        in place: RowAddress,
        find: () throws -> Digest?
    ) rethrows -> Digest? {
        let name = Name(place: place, first: piece.first, hash: piece.reference.hash)
        if let known = present[name] { return known }
        let found = try find()
        if present.count < limit { present[name] = .some(found) }
        return found
    }

    func summary(of part: Part, make: () throws -> PartSummary) rethrows -> PartSummary {
        if let known = parts[part] { return known }
        let made = try make()
        if parts.count < limit { parts[part] = made }
        return made
    }

    /// Returns the distance that is added where one part follows another.
    func metres(from before: Part, to after: Part, add: () -> Double) -> Double {
        let meeting = Meeting(before: before, after: after)
        if let known = meetings[meeting] { return known }
        let metres = add()
        if meetings.count < limit { meetings[meeting] = metres }
        return metres
    }
}
