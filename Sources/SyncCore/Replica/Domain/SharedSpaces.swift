/// A space that this device shares with other people.
package struct SharedSpace: Equatable, Sendable {
    package let id: Identifier
    /// The name, or nil if it has not arrived yet.
    package let name: String?
    /// The role of this device's user; nil if this device is not in the space any more.
    package let role: Role?
    /// The number of people in it.
    package let memberCount: Int
}

/// The spaces of this replica that several people share.
package struct SharedSpaces: ReplicaPart {
    package let context: ReplicaContext

    /// Returns the shared spaces, in the order in which this device came to know them.
    package func all() throws -> [SharedSpace] {
        let device = try identity.current().device
        return try spaces.all().filter { $0.kind == .shared }.map { space in
            let chain = try controls.plannedChain(of: space.id)
            return SharedSpace(
                id: space.id,
                name: try name(of: space.id),
                role: chain.role(ofDevice: device),
                memberCount: chain.roles.count
            )
        }
    }

    /// Returns the spaces in which this person is an owner or admin, the own one included.
    package func governed() throws -> [Identifier] {
        let device = try identity.current().device
        return try spaces.all().map(\.id).filter {
            try controls.chain(of: $0).role(ofDevice: device) ?? .viewer >= .admin
        }
    }

    /// Founds a space, which a server hosts at the next sync; returns its id.
    ///
    /// Throws ``ReplicaError/notJoined`` for a device that may still become another user's, and
    /// ``ReplicaError/notVouched`` for one that no device of its user has vouched for yet.
    package func found(named name: String, at now: Moment) throws -> Identifier {
        guard try identity.current().authority != nil else { throw ReplicaError.notJoined }
        let space = try controlSealer.foundSharedSpace(proof: try vouches.proof(), at: now)
        try rename(space, name, at: now)
        try devices.publish(in: space, at: now)
        return space
    }

    /// Gives a space another name.
    package func rename(_ space: Identifier, _ name: String, at now: Moment) throws {
        try rows.apply(
            [Edit(SpaceField.key, .text(Text(name)))],
            in: try spaces.number(ofSpace: space),
            at: now
        )
    }

    func name(of space: Identifier) throws -> String? {
        let key = SpaceField.key
        return try rows.cells(key.collection, key.row, in: space)[key.field]?.value.text
    }
}

extension ReplicaPart {
    /// The spaces that several people share.
    package var sharedSpaces: SharedSpaces { SharedSpaces(context: context) }
}
