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
            guard chain.role(ofDevice: me.device) != nil else { return nil }
            if let known = listed[space.id],
                chain.count <= known.index || chain.hash(ofFirst: known.index + 1) == known.hash
            {
                return nil
            }
            let anchor = SpaceAnchor(index: chain.count - 1, hash: chain.head)
            let field = MembershipField.anchor(of: space.id)
            return Edit(Key(collection, .user(me.user), field), anchor.value)
        }
        guard !edits.isEmpty else { return false }
        try rows.apply(edits, in: try spaces.number(ofSpace: try spaces.own()), at: now)
        return true
    }
}

extension ReplicaPart {
    /// The list of the user's shared spaces.
    package var memberships: Memberships { Memberships(context: context) }
}
