/// What the column `pending` of a control set says whose device was revoked before.
enum RevivedSet {
    static let mark = "the device was revoked"
}

/// A revocation is final, whatever chain a server shows.
extension Controls {
    /// Returns the revoked device behind a control set that changes devices or keys; nil for any other
    /// set.
    ///
    /// It is the author, or the device that lets the author in.
    ///
    /// A device that does not know of its revocation accepts new logs unprompted. That changes nothing,
    /// and the revocation is made again. The same goes for what it did before its revocation.
    func revived(by set: ControlSet, in space: Int64) throws -> Identifier? {
        let chain = try chain(ofSpace: space)
        let author = set.upload.header.device
        for action in set.body.actions where !action.isAcceptance {
            let isRevived = try !chain.letsBack(author, by: action) && hasRevoked(author, in: space)
            let revoked = try isRevived ? author : door(of: action, in: chain, space)
            if let revoked, try !wasKnown(set, beforeRevocationOf: revoked, in: space) {
                return revoked
            }
        }
        return nil
    }

    /// Returns the revoked device by whose vouch or link an action lets a device in that this database
    /// does not know as a member.
    private func door(
        of action: ControlAction,
        in chain: ControlChain,
        _ space: Int64
    ) throws -> Identifier? {
        let door: Identifier? =
            switch action {
            case .addCard(let added): added.voucher
            case .join(let joining): chain.invitations[joining.invitation]?.maker
            default: nil
            }
        guard let door, let newcomer = action.newcomer, try hasRevoked(door, in: space),
            try !isKnown(newcomer.device, in: space)
        else { return nil }
        return door
    }

    /// Whether a device entered by a set that this database merged, now or in an earlier log.
    private func isKnown(_ newcomer: Identifier, in space: Int64) throws -> Bool {
        try storedSets(of: space).flatMap(\.body.actions)
            .contains { $0.newcomer?.device == newcomer }
    }

    /// Whether this database had a set before it first learnt that a device was revoked.
    private func wasKnown(
        _ set: ControlSet,
        beforeRevocationOf device: Identifier,
        in space: Int64
    ) throws -> Bool {
        let hash = set.hash
        for stored in try storedSets(of: space) {
            if stored.hash == hash { return true }
            for case .revoke(let revocation) in stored.body.actions
            where revocation.devices.contains(device) { return false }
        }
        return false
    }

    /// The control sets that count or counted in some log, in the order in which this database got
    /// them.
    private func storedSets(of space: Int64) throws -> [ControlSet] {
        try database.all(
            """
            SELECT upload, body FROM sealed WHERE space = \(space)
                AND control >= \(ControlMark.isSignature) AND body IS NOT NULL ORDER BY number
            """
        ) { try? ControlSet(try Upload(parsing: $0.blob(0)), body: $0.blob(1)) }
        .compactMap { $0 }
    }

    /// Whether a chain of this space, as this database merged it, ever revoked a device, or removed its
    /// user who governed others.
    ///
    /// A user below that changed nobody but themselves in a chain without the removal. So that chain is
    /// followed, and the removal is made again.
    private func hasRevoked(_ device: Identifier, in space: Int64) throws -> Bool {
        let chain = try chain(ofSpace: space)
        if let card = chain.cards[device], !card.isLive,
            card.isRevoked || chain.governedOthers(card.card.user)
        {
            return true
        }
        return try database.first(
            "SELECT 1 FROM lost_revocation WHERE space = \(space) AND device = \(device)"
        ) { _ in true } ?? false
    }

    /// Returns a device that was revoked before and that changed devices or keys in the merged log.
    func revived(in space: Int64) throws -> Identifier? {
        let set = try database.first(
            """
            SELECT upload, body FROM sealed WHERE space = \(space) AND pending = \(RevivedSet.mark)
                AND +position IS NOT NULL AND body IS NOT NULL
            """
        ) { try? ControlSet(try Upload(parsing: $0.blob(0)), body: $0.blob(1)) }
        guard let set = set ?? nil else { return nil }
        return try revived(by: set, in: space) ?? set.upload.header.device
    }

    /// Returns the devices that entered by control sets of the merged log which this database does not
    /// follow, and that it does not know.
    package func strangers(in space: Identifier) throws -> [Identifier] {
        let number = try spaces.number(ofSpace: space)
        let sets = try database.all(
            """
            SELECT upload, body FROM sealed WHERE space = \(number) AND pending IS NOT NULL
                AND +position IS NOT NULL AND body IS NOT NULL ORDER BY position
            """
        ) { try? ControlSet(try Upload(parsing: $0.blob(0)), body: $0.blob(1)) }
        let cards = try chain(ofSpace: number).cards
        return sets.compactMap { $0 }.flatMap(\.body.actions).compactMap(\.newcomer?.device)
            .filter { cards[$0] == nil }
    }

    /// Remembers a revocation that the chain does not have any more.
    func shutOut(_ device: Identifier, of space: Int64) throws {
        try database.run(
            "INSERT INTO lost_revocation VALUES (\(space), \(device)) ON CONFLICT DO NOTHING"
        )
    }
}

extension ControlAction {
    /// Whether the action accepts a log of the server, and does nothing else.
    fileprivate var isAcceptance: Bool {
        if case .server = self { true } else { false }
    }
}

extension ControlChain {
    /// Whether a user ever had a role that governs others.
    fileprivate func governedOthers(_ user: Identifier) -> Bool {
        members[user]?.changes.contains { $0.role ?? .viewer >= .admin } ?? false
    }

    /// Whether a member who was removed, and whose device was not revoked, comes back by a link.
    fileprivate func letsBack(_ device: Identifier, by action: ControlAction) -> Bool {
        guard case .join = action, let known = cards[device] else { return false }
        return !known.isLive && !known.isRevoked
    }
}
