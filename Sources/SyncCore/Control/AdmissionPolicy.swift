/// The rules by which every member and the server decide alike whether a change set counts.
///
/// The answer follows from the control chain and the set alone, never from the set's place in a
/// log. So it is the same in any order of delivery and after any restore.
package struct AdmissionPolicy: Sendable {
    private let chain: ControlChain

    package init(_ chain: ControlChain) { self.chain = chain }

    /// What becomes of a set.
    package enum Answer: Hashable, Sendable {
        /// The set counts, as far as this role of its author allows what it writes.
        case valid(Role)
        /// The set names control sets that this replica has not merged.
        case pending
        /// The set lies beyond the cut of its device or its user.
        case held
        /// The device had no card when it sealed the set.
        case void
    }

    /// Judges a change set by its header.
    package func answer(to header: Header, hash: Digest) -> Answer {
        let controls = header.seen.controls
        guard controls <= chain.count else { return .pending }
        guard let card = chain.cards[header.device], card.card.kind == .device,
            let term = card.term(at: controls)
        else { return .void }
        if let end = term.end, controls > end.index { return .held }
        for end in card.ends where end.index >= controls {
            guard isWithin(end.cuts, header, hash) else { return .held }
        }
        guard let member = chain.members[card.card.user], let role = member.role(at: controls)
        else {
            return .held
        }
        let isCut = member.changes.contains { change in
            guard change.index >= controls, let cuts = change.cuts else { return false }
            return !isWithin(cuts, header, hash)
        }
        return isCut ? .held : .valid(role)
    }

    private func isWithin(
        _ cuts: [Identifier: ReplicaCut],
        _ header: Header,
        _ hash: Digest
    ) -> Bool {
        guard let cut = cuts[header.replica] else { return false }
        if header.sequence == cut.sequence { return hash == cut.hash }
        return header.sequence < cut.sequence
    }
}
