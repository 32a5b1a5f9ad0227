/// Tracks that were made of each other by splits and joins: which of them are shown, and what each
/// consists of.
///
/// A derivation is the tracks that take the place of others, its sources. It is valid while every
/// source names exactly its tracks as successors, its parts of a source are all of that, and each
/// source is a recording or comes from a valid derivation. Its sources are superseded then, and no
/// others. So of two that compete for a source one is valid at most, and every sample is in a track
/// that is shown: in two where a part goes on to the first sample of the next.
struct Lineage {
    /// A track as its row tells of it.
    struct Member {
        let edits: TrackEdits
        let isDeleted: Bool
        /// Its own streams in order; none of one that is made of others.
        let streams: [UInt64]
        /// The tracks that it is made of.
        let sources: [Identifier]

        init(edits: TrackEdits, isDeleted: Bool, streams: [UInt64]) {
            (self.edits, self.isDeleted, self.streams) = (edits, isDeleted, streams)
            sources = Set(edits.parts?.map(\.source) ?? []).sorted()
        }
    }

    /// A derivation of a derivation and so on, so often: one beyond is not valid.
    private static let generationLimit = 64
    /// An alternative, which anybody can make of anything, shows no more.
    private static let alternativeLimit = 10_000

    private let members: [Identifier: Member]
    /// What recordings and tracks of valid derivations consist of, with what is left out.
    private var stretches: [Identifier: [SampleSpan]] = [:]
    /// The sources of valid derivations.
    private var superseded: Set<Identifier> = []
    /// Tracks that lie in the trash, or whose sources all do.
    private var gone: Set<Identifier> = []
    /// Derivations that were looked at.
    private var tried: Set<[Identifier]> = []

    /// The lineage of tracks, of which none has a source or a successor that is not among them.
    init(_ members: [Identifier: Member]) {
        self.members = members
        for (id, member) in members where member.edits.parts == nil {
            settle(id, .recorded(id, member.streams))
        }
        var generation = 1
        while generation < Self.generationLimit, derive() { generation += 1 }
    }

    /// How a track stands.
    func standing(of id: Identifier) -> Track.Standing {
        guard let member = members[id], stretches[id] != nil else { return .alternative }
        if superseded.contains(id) { return .superseded }
        return isSourceless(member) ? .sourceless : .shown
    }

    /// All of a track, with what is left out; of an alternative only what comes from settled sources.
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

    /// Settles the tracks of derivations whose sources are settled; false where there was none.
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

    /// The tracks that a derived one's first source names as its successors, if it is among them.
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
        guard parts.count == derivation.count, parts.allSatisfy({ !$0.isEmpty }) else {
            return false
        }
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
                // The first sample of the next is in both.
                next[0].isApart = own.removeLast().isApart
            } else {
                next[0].isApart = !own.isEmpty
            }
            own += next
        }
        return own
    }
}
