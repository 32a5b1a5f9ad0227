/// The rules by which every member and the server decide alike whether a change set counts.
///
/// The answer follows from the control chain and the set alone, never from the set's place in a
/// log. So it is the same in any order of delivery and after any restore.
package struct AdmissionPolicy: Sendable {
    private var chain: ControlChain

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
    ///
    /// What an admin adopted counts like a set of an admin: nobody can adopt what only another person
    /// may write.
    package func answer(to header: Header, hash: Digest) -> Answer {
        let answer = answerBeforeAdoption(to: header, hash)
        guard chain.decisions[SetReference(header, hash: hash)] == .adopted else { return answer }
        return switch answer {
        case .held: .valid(.admin)
        case .valid(let role): .valid(max(role, .admin))
        case .pending, .void: answer
        }
    }

    private func answerBeforeAdoption(to header: Header, _ hash: Digest) -> Answer {
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
        /// Only the admins, or the person that the row is named after, may write it.
        case others
        /// Only the devices of a person may write it.
        case device
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
    /// - Parameters:
    ///   - schema: the schema of the change's collection; nil if this version does not know it.
    ///   - isMaker: whether the author's user made the row.
    package func permission(
        of author: Author,
        toWrite change: Change,
        _ schema: CollectionSchema?,
        isMaker: Bool
    ) -> Permission {
        let row = change.key.row
        let least: Role = isMaker ? .contributor : .editor
        let byRole: Permission = author.role >= least ? .allowed : .role
        if change.key.field == FieldSchema.made.name, schema?.rows ?? .own == .own {
            return isProof(change, of: author.user) ? byRole : .others
        }
        switch schema?.writers {
        case .deviceUser: return row.id.map { isOwn($0, author) } ?? false ? .allowed : .device
        case .admins: return author.role >= .admin ? .allowed : .others
        case .editors, nil: return byRole
        case .oneself:
            return switch schema?.owner(of: row) {
            case nil: byRole
            case .user(let id): id == author.user ? .allowed : .others
            case .device(let id): isOwn(id, author) ? .allowed : .device
            case .nobody: .others
            }
        }
    }

    /// Whether the role of a set's author allows what the set writes.
    ///
    /// - Parameter isRepeated: whether a server accepted the set before. Then rows that belong to devices
    ///   are not asked for again: another control chain may have let these in later.
    package func allows(
        _ changes: some Sequence<Change>,
        by author: Author,
        _ collections: CollectionRegistry,
        isRepeated: Bool = false
    ) -> Bool {
        let made = madeRows(by: author.user, in: changes)
        return changes.allSatisfy { change in
            let permission = permission(
                of: author,
                toWrite: change,
                collections[change.key.collection],
                isMaker: made.contains(change.key.row)
            )
            switch permission {
            case .allowed: return true
            case .role, .others: return false
            case .device: return isRepeated
            }
        }
    }

    /// Returns why a held set would not count even if an admin adopted it; nil if it would.
    package func obstacle(
        toAdopting set: ChangeSet,
        hash: Digest,
        _ collections: CollectionRegistry
    ) -> ChangeSetError? {
        var policy = self
        policy.chain.decisions[SetReference(set.header, hash: hash)] = .adopted
        switch policy.answer(to: set.header, hash: hash) {
        case .valid(let role):
            let isAllowed = policy.author(of: set.header, as: role).map {
                policy.allows(set.changes, by: $0, collections)
            }
            return isAllowed == true ? nil : .notAllowed
        case .pending: return .unknownControls(set.header.seen.controls)
        case .held: return .beyondCut
        case .void: return .noCard
        }
    }

    /// Returns the author of a set; nil if its device never had a card.
    package func author(of header: Header, as role: Role) -> Author? {
        chain.cards[header.device].map {
            Author(
                device: header.device,
                user: $0.card.user,
                role: role,
                controls: header.seen.controls
            )
        }
    }

    /// Returns the rows that a set proves a user to have made.
    ///
    /// A set that needs the proof carries it for each row, so that nobody has to look for it.
    private func madeRows(by user: Identifier, in changes: some Sequence<Change>) -> Set<Row> {
        Set(
            changes.filter { $0.key.field == FieldSchema.made.name && isProof($0, of: user) }
                .map(\.key.row)
        )
    }

    private func isProof(_ change: Change, of user: Identifier) -> Bool {
        guard let maker = RowMaker(change.cell.value) else { return false }
        return maker.user == user && maker.row(in: chain.space) == change.key.row.id
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
        _ cuts: [Identifier: SetReference],
        _ header: Header,
        _ hash: Digest
    ) -> Bool {
        guard let cut = cuts[header.replica] else { return false }
        if header.sequence == cut.sequence { return hash == cut.hash }
        return header.sequence < cut.sequence
    }
}
