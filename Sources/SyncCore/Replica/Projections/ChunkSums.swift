/// What was asked of chunks so far: related tracks are made of the same ones.
final class ChunkSums {
    /// So many parts are kept, some kilobytes each, where there is a related tracks at all.
    private let limit: Int

    init(isShared: Bool = false) {
        limit = isShared ? 2000 : 0
    }

    /// A part of a chunk, by the rule that judges it.
    struct Part: Hashable {
        let hash: Digest
        /// Which samples; nil for all of them.
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
    private let last = LastChunk()

    /// The chunk that is read for a piece; nil where there is none.
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

    /// By how much a way is longer where one part follows another.
    func metres(from before: Part, to after: Part, add: () -> Double) -> Double {
        let meeting = Meeting(before: before, after: after)
        if let known = meetings[meeting] { return known }
        let metres = add()
        if meetings.count < limit { meetings[meeting] = metres }
        return metres
    }

    func samples(in hash: Digest, read: (Digest) throws -> [Sample]) rethrows -> [Sample] {
        try last.samples(in: hash, read: read)
    }
}
