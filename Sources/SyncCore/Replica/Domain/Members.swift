/// A person in a shared space.
package struct SpaceMember: Equatable, Sendable {
    /// The person.
    package let id: Identifier
    package let role: Role
    /// The names of the person's devices in the space, as far as they have arrived, in ascending order.
    package let devices: [String]
    /// Whether the person is the user of this replica.
    package let isSelf: Bool
    /// When the person entered, by the clock of the device that entered first.
    package let since: UnixTime?
}

/// The people in a shared space.
package struct Members: ReplicaPart {
    package let context: ReplicaContext

    /// Returns the members of a space by role, the greatest first, then by when they entered.
    package func all(in space: Identifier) throws -> [SpaceMember] {
        let me = try identity.current()
        let chain = try controls.plannedChain(of: space)
        return try chain.roles.map { user, role in
            let cards = chain.cards.values.filter {
                $0.card.user == user && $0.card.kind == .device
            }
            return SpaceMember(
                id: user,
                role: role,
                devices: try deviceNames(of: user, chain, in: space),
                isSelf: user == me.user,
                since: cards.map { ($0.earlier.first ?? $0.term).time }.min()
            )
        }
        .sorted {
            $0.role != $1.role
                ? $0.role > $1.role
                : ($0.since?.milliseconds ?? 0, $0.id) < ($1.since?.milliseconds ?? 0, $1.id)
        }
    }
}

extension ReplicaPart {
    /// The people in shared spaces.
    package var members: Members { Members(context: context) }
}
