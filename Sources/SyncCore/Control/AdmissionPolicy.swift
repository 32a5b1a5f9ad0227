/// The rules by which every member and the server decide alike whether a change set counts.
///
/// The answer follows from the control chain and the set alone, never from the set's place in a
/// log. So it is the same in any order of delivery and after any restore.
package struct AdmissionPolicy: Sendable {
    private let chain: ControlChain

    package init(_ chain: ControlChain) { self.chain = chain }

    /// What becomes of a set.
    package enum Answer: Hashable, Sendable {
        case valid
        /// The set names control sets that this replica has not merged.
        case pending
        /// The set lies beyond the cut of its device.
        case held
        /// The device had no card when it sealed the set.
        case void
    }

    /// Judges a change set by its header.
    package func answer(to header: Header, hash: Digest) -> Answer {
        let controls = header.seen.controls
        guard controls <= chain.count else { return .pending }
        guard let card = chain.cards[header.device], card.card.kind == .device,
            card.admitted < controls
        else { return .void }
        guard let end = card.end else { return .valid }
        guard controls <= end.index, let cut = end.cuts[header.replica] else { return .held }
        if header.sequence == cut.sequence { return hash == cut.hash ? .valid : .held }
        return header.sequence < cut.sequence ? .valid : .held
    }
}
