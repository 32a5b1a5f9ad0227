/// Resolves splits and joins: which tracks are shown, and which samples each consists of.
///
/// A derivation is a set of tracks that replaces others, its sources. It is valid under three
/// conditions. Every source names exactly its tracks as successors. Its parts of each source cover
/// all of that source. Each source is a recording or comes from a valid derivation.
///
/// A valid derivation supersedes its sources; nothing else does. Of two derivations that compete
/// for a source, at most one is therefore valid. Every sample is in a shown track, and in two if a
/// part continues to the first sample of the next.
struct Lineage {
    /// The content of a track's row.
    struct Member {
        let edits: TrackEdits
        let isDeleted: Bool
        /// The track's own streams in order; empty if it is derived from others.
        let streams: [UInt64]
        /// The tracks that it is derived from.
        let sources: [Identifier]

        init(edits: TrackEdits, isDeleted: Bool, streams: [UInt64]) {
            (self.edits, self.isDeleted, self.streams) = (edits, isDeleted, streams)
            sources = Set(edits.parts?.map(\.source) ?? []).sorted()
        }
    }

    /// The most generations of tracks, recordings included; a deeper derivation is not valid.
    private static let generationLimit = 64
    /// The number of spans at which an alternative is cut off: anyone can write one with any parts.
    private static let alternativeLimit = 10_000

    private let members: [Identifier: Member]
    /// The spans of recordings and valid derived tracks, including hidden ones.
    private var stretches: [Identifier: [SampleSpan]] = [:]
    private var superseded: Set<Identifier> = []
    /// Tracks in the trash, and those whose sources are all gone.
    private var gone: Set<Identifier> = []
    /// Derivations that were examined.
    private var tried: Set<[Identifier]> = []

    /// Resolves `members`, which must include all their sources and successors.
    init(_ members: [Identifier: Member]) {
        self.members = members
        for (id, member) in members where member.edits.parts == nil {
            settle(id, .recorded(id, member.streams))
        }
        var generation = 1
        while generation < Self.generationLimit, derive() { generation += 1 }
    }

    func standing(of id: Identifier) -> Track.Standing {
        guard let member = members[id], stretches[id] != nil else { return .alternative }
        if superseded.contains(id) { return .superseded }
        return isSourceless(member) ? .sourceless : .shown
    }

    /// Returns all of a track, including hidden samples.
    ///
    /// For an alternative, that is only what comes from settled sources.
    func whole(of id: Identifier) -> [SampleSpan] {
        if let own = stretches[id] { return own }
        guard let edits = members[id]?.edits else { return [] }
        var own = assembled(edits, limit: Self.alternativeLimit)
        own.lay(edits)
        return own
    }
}

extension Lineage {
    private func isSourceless(_ member: Member) -> Bool {
        member.edits.parts != nil && member.sources.allSatisfy(gone.contains)
    }

    private mutating func settle(_ id: Identifier, _ samples: [SampleSpan]) {
        guard let member = members[id] else { return }
        var own = samples
        own.lay(member.edits)
        stretches[id] = own
        if member.isDeleted || isSourceless(member) { gone.insert(id) }
    }

    /// Settles the tracks of valid derivations with settled sources; returns false if there were
    /// none.
    private mutating func derive() -> Bool {
        let ready = Set(members.keys.compactMap(derivation)).filter {
            !tried.contains($0) && sources(of: $0).allSatisfy { stretches[$0] != nil }
        }
        tried.formUnion(ready)
        let valid = ready.filter(isValid)
        for derivation in valid {
            superseded.formUnion(sources(of: derivation))
            for id in derivation {
                guard let edits = members[id]?.edits else { continue }
                settle(id, assembled(edits, limit: .max))
            }
        }
        return !valid.isEmpty
    }

    /// Returns the successors that a track's first source names, if the track is among them.
    private func derivation(of id: Identifier) -> [Identifier]? {
        guard stretches[id] == nil, let source = members[id]?.sources.first,
            let successors = members[source]?.edits.successors, successors.contains(id)
        else { return nil }
        return successors
    }

    private func sources(of derivation: [Identifier]) -> Set<Identifier> {
        Set(derivation.flatMap { members[$0]?.sources ?? [] })
    }

    private func isValid(_ derivation: [Identifier]) -> Bool {
        let parts = derivation.compactMap { members[$0]?.edits.parts }
        guard parts.count == derivation.count, parts.allSatisfy({ !$0.isEmpty })
        else { return false }
        return Dictionary(grouping: parts.joined(), by: \.source).allSatisfy { source, parts in
            !derivation.contains(source)
                && members[source]?.edits.successors == derivation
                && isWhole(parts.map(\.range), of: source)
        }
    }

    /// Whether ranges follow each other from the beginning of a track to its end.
    private func isWhole(_ ranges: [SampleRange], of source: Identifier) -> Bool {
        var all = stretches[source] ?? []
        let starts = Dictionary(ranges.map { ($0.start, $0) }) { first, _ in first }
        guard starts.count == ranges.count else { return false }
        var next: SampleName?
        for index in 1...ranges.count {
            guard let range = starts[next], all.bounds(of: range) != nil else { return false }
            next = range.end
            guard (next == nil) == (index == ranges.count) else { return false }
        }
        return true
    }

    private func assembled(_ edits: TrackEdits, limit: Int) -> [SampleSpan] {
        var own: [SampleSpan] = []
        for part in edits.parts ?? [] where !gone.contains(part.source) {
            guard own.count < limit, var next = stretches[part.source]?.part(part), !next.isEmpty
            else { continue }
            if own.goesOn(to: next[0]) {
                // `part(_:)` appended this sample to the part before.
                next[0].isApart = own.removeLast().isApart
            } else {
                next[0].isApart = !own.isEmpty
            }
            own += next
        }
        return own
    }
}
