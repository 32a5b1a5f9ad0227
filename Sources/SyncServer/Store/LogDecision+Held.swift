internal import SyncCore

extension LogDecision {
    /// The reason of a held set that lies beyond the revocation of its device.
    ///
    /// Every member judges such a set by the control chain, so the server cannot let it count.
    static let cut = "cut"

    /// The reason for a set that the role of its author did not allow.
    static let role = "role"

    /// Adopts or refuses the held sets of one name.
    mutating func settle(_ name: ReplicaSequence, _ decision: HeldDecision) throws(StoreError) {
        guard let asker, facts.chain.role(ofDevice: asker.id) ?? .viewer >= .admin else {
            throw .forbidden
        }
        let held = facts.sets[name, default: []].filter { $0.verdict == .held }
        guard !held.isEmpty else { throw .notFound }
        let open = held.filter { !$0.isSettled }
        guard !open.isEmpty else {
            // The same decision may be repeated after a lost answer; a different one is too late.
            let isAdopted = held.contains { $0.adoption != nil }
            guard isAdopted == (decision == .adopt) else { throw .notFound }
            return
        }
        for set in open {
            switch decision {
            case .adopt:
                // No member would count what the control chain forbids.
                guard ![Self.cut, Self.role].contains(set.reason) else { throw .beyondCut }
                guard adopt(set, named: name, by: asker.id) != nil else { throw .withoutBody }
            case .refuse: rows.settled.append(set.position)
            }
        }
    }

    /// Appends an adoption, and returns its position, or nil if the held set has no body.
    ///
    /// The entry names the set and the admin's device. The body stays in the set's own row, and
    /// pages deliver it with the adoption.
    mutating func adopt(
        _ held: LoggedSet,
        named name: ReplicaSequence,
        by admin: Identifier
    ) -> UInt64? {
        guard held.hasBody, let header = held.header else { return nil }
        appendEntry(
            LogEntryRow.Content(admin: admin),
            as: .adopted(admin: admin),
            of: SetName(
                space: facts.space,
                replica: name.replica,
                sequence: name.sequence,
                hash: held.hash
            ),
            upTo: header.stamps.upperBound
        )
        rows.wanted += header.chunks.map(\.hash)
        rows.settled.append(held.position)
        let position = facts.end.head
        update(held, of: name) { $0.adoption = position }
        return position
    }

    /// Updates the facts about a set in the log.
    mutating func update(
        _ set: LoggedSet,
        of name: ReplicaSequence,
        _ change: (inout LoggedSet) -> Void
    ) {
        facts.sets[name] = facts.sets[name]?.map { known in
            var known = known
            if known.position == set.position { change(&known) }
            return known
        }
    }
}
