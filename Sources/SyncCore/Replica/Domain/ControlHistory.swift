/// What somebody did to who is in a space, as a signed control set says.
package struct ControlEvent: Hashable, Sendable {
    /// By the clock of the device that did it.
    package let time: UnixTime
    /// The device that signed it.
    package let device: SpaceDevice
    package let deed: Deed

    package enum Deed: Hashable, Sendable {
        case founded
        /// Made a link for so many uses.
        case invited(InvitedRole, uses: UInt64)
        /// Withdrew so many links.
        case withdrew(Int)
        /// Entered by a link.
        case joined(InvitedRole)
        /// Let a further device, or a recovery code, of the same person in.
        case added(SpaceDevice)
        case revoked([SpaceDevice])
        case changedRole(of: SpacePerson, from: Role?, to: Role)
        case removed(SpacePerson)
        case left
        /// Let so many held sets count.
        case adopted(Int)
        /// Decided that so many held sets never count.
        case declined(Int)
    }
}

/// A device or recovery code that is or was in a space.
package struct SpaceDevice: Hashable, Sendable {
    package let id: Identifier
    /// The name, or nil if it has not arrived; a recovery code has none.
    package let name: String?
    package let kind: CardKind
    package let person: SpacePerson
}

/// The membership of a space, event by event, read from its control chain.
package struct ControlHistory: ReplicaPart {
    package let context: ReplicaContext

    /// Returns the events of a space in the order of its control sets, the oldest first.
    ///
    /// Key epochs and log epochs are left out: they follow from the events. Throws
    /// ``ReplicaError/damagedRecord`` if a control set is damaged.
    package func events(in space: Identifier) throws -> [ControlEvent] {
        let people = try People(context: context, chain: controls.chain(of: space))
        var before = ControlChain(of: space)
        var events: [ControlEvent] = []
        for set in try controls.mergedSets(in: space) {
            guard let author = try people.device(set.author) else { continue }
            for action in set.body.actions {
                guard let deed = try people.deed(of: action, after: before) else { continue }
                events.append(ControlEvent(time: set.body.time, device: author, deed: deed))
            }
            guard (try? before.apply(set)) != nil else { throw ReplicaError.damagedRecord }
        }
        return events
    }
}

/// Names the people and devices of a space.
private struct People: ReplicaPart {
    let context: ReplicaContext
    /// The whole chain, which knows everybody who ever was in the space.
    let chain: ControlChain

    func device(_ id: Identifier) throws -> SpaceDevice? {
        guard let card = chain.cards[id]?.card else { return nil }
        return SpaceDevice(
            id: id,
            name: try devices.name(of: id, in: chain.space),
            kind: card.kind,
            person: try members.person(card.user, chain)
        )
    }

    /// What an action did; nil for one that is no event.
    func deed(
        of action: ControlAction,
        after before: ControlChain
    ) throws -> ControlEvent.Deed? {
        switch action {
        case .found: .founded
        case .invite(let invitation): .invited(invitation.role, uses: invitation.uses)
        case .close(let links): .withdrew(links.count)
        case .join(let joining):
            chain.invitations[joining.invitation].map { .joined($0.invitation.role) }
        case .addCard(let added): try device(added.card.device).map { .added($0) }
        case .revoke(let revocation): .revoked(try revocation.devices.compactMap(device))
        case .setRole(let setting):
            .changedRole(
                of: try members.person(setting.user, chain),
                from: before.members[setting.user]?.role,
                to: setting.role
            )
        case .remove(let removal): .removed(try members.person(removal.user, chain))
        case .leave: .left
        case .adopt(let sets): .adopted(sets.count)
        case .decline(let sets): .declined(sets.count)
        case .epoch, .server, .wrap: nil
        }
    }
}

extension ReplicaPart {
    /// The membership of a space, event by event.
    package var controlHistory: ControlHistory { ControlHistory(context: context) }
}
