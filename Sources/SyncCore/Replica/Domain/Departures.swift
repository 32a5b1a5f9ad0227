/// The end of this device's part in shared spaces.
package struct Departures: ReplicaPart {
    package let context: ReplicaContext

    /// Whether this device is out of a shared space that it still stores.
    package func isDue() throws -> Bool { try !ended().isEmpty }

    /// Removes the shared spaces that this device is not in any more.
    ///
    /// Work of this device that no server has accepted goes to the own space first.
    package func settle(at now: Moment) throws {
        for space in try ended() { try leave(space, at: now) }
    }

    /// Returns the spaces that this device is not in by all the control sets that it can have.
    ///
    /// In the middle of the log a later set may have let it in again; so may one that is damaged.
    private func ended() throws -> [SpaceSummary] {
        try spaces.all().filter { space in
            guard space.kind == .shared, space.merged.position >= space.head else { return false }
            return try controls.isIn(space.id) == false && controls.isWhole(space.id)
        }
    }

    private func leave(_ space: SpaceSummary, at now: Moment) throws {
        let name = try sharedSpaces.name(of: space.id)
        let kept = try keepUnsent(of: space.id, at: now)
        try events.record(.ended, detail(space.id, name, kept), at: now.wall)
        let user = try identity.current().user
        if try controls.chain(of: space.id).roles[user] == nil {
            try memberships.remove(space.id, at: now)
        }
        let hasSealed = try spaceRemoval.remove(space.id)
        // A later entry must not write other sets under the same names.
        if hasSealed { try overlay.takeNewReplicaID() }
    }

    /// Returns the space's name, and what of it is in the own space now.
    private func detail(_ space: Identifier, _ name: String?, _ kept: [Text: Int]) -> String {
        let title = (name.map { "'\($0)' " } ?? "") + "(\(space.description.prefix(8)))"
        guard !kept.isEmpty else { return title }
        let counts = kept.sorted { $0.key < $1.key }.map { collection, count in
            let schema = collections[collection]
            let noun = count == 1 ? schema?.noun ?? "row" : schema?.plural ?? "rows"
            return "\(count) \(noun)"
        }
        return "\(title); kept in your own space: \(counts.joined(separator: ", "))"
    }
}

extension ReplicaPart {
    /// The end of this device's part in shared spaces.
    package var departures: Departures { Departures(context: context) }
}
