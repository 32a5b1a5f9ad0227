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

    /// What a role allows of one change.
    package enum Permission: Hashable, Sendable {
        case allowed
        /// Only greater roles may write the row.
        case role
        /// Only the admins, or the people or devices that the row is named after, may write it.
        case others
    }

    /// Who writes: a device, its user, and the user's role when so many control sets were merged.
    package struct Author: Sendable {
        package let device: Identifier
        package let user: Identifier
        package let role: Role
        package let controls: UInt64

        package init(device: Identifier, user: Identifier, role: Role, controls: UInt64) {
            (self.device, self.user, self.role, self.controls) = (device, user, role, controls)
        }
    }

    /// Judges one change of a valid set.
    ///
    /// - Parameter schema: the schema of the change's collection; nil if this version does not know it.
    package func permission(
        of author: Author,
        toWrite change: Change,
        _ schema: CollectionSchema?
    ) -> Permission {
        let row = change.key.row
        let byRole: Permission = author.role > .viewer ? .allowed : .role
        switch schema?.writers {
        case .deviceUser: return row.id.map { isOwn($0, author) } ?? false ? .allowed : .others
        case .admins: return author.role >= .admin ? .allowed : .others
        case .editors, .maker, nil: return byRole
        case .oneself:
            return switch schema?.owner(of: row) {
            case nil: byRole
            case .user(let id): id == author.user ? .allowed : .others
            case .device(let id): isOwn(id, author) ? .allowed : .others
            case .nobody: .others
            }
        }
    }

    /// Whether a device is the author's own one, in the space now or before.
    private func isOwn(_ device: Identifier, _ author: Author) -> Bool {
        guard device != author.device else { return true }
        guard let known = chain.cards[device], known.card.kind == .device,
            known.card.user == author.user
        else { return false }
        return (known.earlier.first ?? known.term).admitted < author.controls
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
