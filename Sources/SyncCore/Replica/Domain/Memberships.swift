/// The list of the user's shared spaces: the collection `membership` of the own space.
package struct Memberships: ReplicaPart {
    package let context: ReplicaContext

    private let collection = CollectionSchema.membership.name

    package init(context: ReplicaContext) { self.context = context }

    /// Returns the spaces on the list.
    package func listed() throws -> [Identifier: SpaceAnchor] {
        let user = try identity.current().user
        let cells = try rows.cells(collection, .user(user), in: try spaces.own())
        let anchors = cells.compactMap { field, cell in
            MembershipField.space(of: field).flatMap { space in
                SpaceAnchor(cell.value).map { (space, $0) }
            }
        }
        return Dictionary(anchors) { $1 }
    }

    /// Puts the shared spaces of this device on the list, each with its newest control set; returns
    /// whether one was missing.
    ///
    /// A space on the list gets another anchor only after its control chain was replaced.
    func publish(at now: Moment) throws -> Bool {
        let me = try identity.current()
        let listed = try listed()
        let edits = try spaces.all().filter { $0.kind == .shared }.compactMap { space -> Edit? in
            let chain = try controls.chain(of: space.id)
            let value = Self.value(for: chain, me, listed[space.id])
            let field = MembershipField.anchor(of: space.id)
            return value.map { Edit(Key(collection, .user(me.user), field), $0) }
        }
        guard !edits.isEmpty else { return false }
        try rows.apply(edits, in: try spaces.number(ofSpace: try spaces.own()), at: now)
        return true
    }

    /// Takes a space off the list.
    package func remove(_ space: Identifier, at now: Moment) throws {
        guard try listed()[space] != nil else { return }
        let user = try identity.current().user
        let key = Key(collection, .user(user), MembershipField.anchor(of: space))
        try rows.apply(
            [Edit(key, .null)],
            in: try spaces.number(ofSpace: try spaces.own()),
            at: now
        )
    }

    /// Returns what the list should say of a space; nil if it says so.
    private static func value(
        for chain: ControlChain,
        _ me: DeviceIdentity,
        _ listed: SpaceAnchor?
    ) -> Value? {
        guard chain.role(ofDevice: me.device) != nil else { return nil }
        if let listed,
            chain.count <= listed.index || chain.hash(ofFirst: listed.index + 1) == listed.hash
        {
            return nil
        }
        return SpaceAnchor(index: chain.count - 1, hash: chain.head).value
    }
}

extension ReplicaPart {
    /// The list of the user's shared spaces.
    package var memberships: Memberships { Memberships(context: context) }
}
