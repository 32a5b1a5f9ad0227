/// Tracks that are made of each other by splits and joins: which of them are shown, and what each
/// consists of.
///
/// A derivation is the tracks that take the place of others, its sources. It is valid while every
/// source names exactly its tracks as successors, its parts of a source are all of that, and each
/// source is a recording or comes from a valid derivation. So of two that compete for a source one
/// is valid at most, and no sample is shown twice or by none: who is not superseded is shown.
struct Lineage {
    /// A track as its row tells of it.
    struct Member {
        let edits: TrackEdits
        let isDeleted: Bool
        /// Its own streams in order.
        let streams: [UInt64]
    }

    /// A derivation of a derivation and so on, so often: one beyond is not valid.
    private static let generationLimit = 64

    private let members: [Identifier: Member]
    /// What each track consists of, with what is left out.
    private var stretches: [Identifier: [Stretch]] = [:]
    /// Recordings, and tracks of valid derivations.
    private var sound: Set<Identifier> = []
    /// Tracks that lie in the trash, or whose sources all do.
    private var gone: Set<Identifier> = []
    /// The valid derivations.
    private var valid: Set<[Identifier]> = []

    /// The lineage of tracks, of which none has a source or a successor that is not among them.
    init(_ members: [Identifier: Member]) {
        self.members = members
        for (id, member) in members where member.edits.parts == nil {
            var own: [Stretch] = .recorded(id, member.streams)
            own.lay(member.edits)
            settle(id, own, isSound: true)
        }
        var generation = 1
        while generation <= Self.generationLimit, derive() { generation += 1 }
    }

    /// How a track stands.
    func standing(of id: Identifier) -> Track.Standing {
        guard sound.contains(id), let edits = members[id]?.edits else { return .alternative }
        if valid.contains(edits.successors) { return .superseded }
        return edits.parts != nil && sources(of: edits).allSatisfy(gone.contains)
            ? .sourceless : .shown
    }

    /// All of a track, with what is left out.
    func whole(of id: Identifier) -> [Stretch] { stretches[id] ?? [] }

    /// What a track shows, in order; nothing of one that is made of itself.
    func shown(of id: Identifier) -> [Stretch] { stretches[id]?.shown ?? [] }
}

extension Lineage {
    private func sources(of edits: TrackEdits) -> [Identifier] {
        Set(edits.parts?.map(\.source) ?? []).sorted()
    }

    private mutating func settle(_ id: Identifier, _ own: [Stretch], isSound: Bool) {
        stretches[id] = own
        if isSound { sound.insert(id) }
        guard let member = members[id] else { return }
        let isSourceless =
            member.edits.parts != nil && sources(of: member.edits).allSatisfy(gone.contains)
        if member.isDeleted || isSourceless { gone.insert(id) }
    }

    /// Settles what is made of tracks that are settled; false where there was nothing to do.
    private mutating func derive() -> Bool {
        let ready = members.filter { id, member in
            stretches[id] == nil && relatives(of: id, member).allSatisfy { stretches[$0] != nil }
        }
        let derivations = Set(ready.values.compactMap { derivation(of: $0) })
        valid.formUnion(derivations.filter(isValid))
        for (id, member) in ready {
            var own = assembled(member.edits)
            own.lay(member.edits)
            let isSound = derivation(of: member).map { $0.contains(id) && valid.contains($0) }
            settle(id, own, isSound: isSound ?? false)
        }
        return !ready.isEmpty
    }

    /// The tracks that must be settled before: its sources, and those of who it shares them with.
    private func relatives(of id: Identifier, _ member: Member) -> [Identifier] {
        let mates = derivation(of: member).flatMap { $0.contains(id) ? $0 : nil } ?? []
        return sources(of: member.edits)
            + mates.flatMap { members[$0].map { sources(of: $0.edits) } ?? [] }
    }

    /// The tracks that a derived one's first source names as its successors.
    private func derivation(of member: Member) -> [Identifier]? {
        member.edits.parts?.first.flatMap { members[$0.source]?.edits.successors }
    }

    private func isValid(_ derivation: [Identifier]) -> Bool {
        let parts = derivation.compactMap { members[$0]?.edits.parts }
        guard !parts.isEmpty, parts.count == derivation.count,
            parts.allSatisfy({ !$0.isEmpty })
        else { return false }
        return Dictionary(grouping: parts.joined(), by: \.source).allSatisfy { source, parts in
            sound.contains(source) && !derivation.contains(source)
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

    private func assembled(_ edits: TrackEdits) -> [Stretch] {
        var own: [Stretch] = []
        for part in edits.parts ?? [] where !gone.contains(part.source) {
            guard var next = stretches[part.source]?.part(part), !next.isEmpty else {
                continue
            }
            next[0].isApart = !own.isEmpty
            own += next
        }
        return own
    }
}
