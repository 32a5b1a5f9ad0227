/// A person who is or was in a space.
package struct SpacePerson: Hashable, Sendable {
    package let user: Identifier
    /// The names of the person's devices, as far as they have arrived, in ascending order.
    package let devices: [String]
    /// Whether the person is the user of this replica.
    package let isSelf: Bool
}

extension Members {
    /// Returns who made rows of a collection, by row; rows that prove no maker are left out.
    package func makers(
        of rows: [Identifier],
        _ collection: Text,
        in space: Identifier
    ) throws -> [Identifier: SpacePerson] {
        let chain = try controls.plannedChain(of: space)
        var known: [Identifier: SpacePerson] = [:]
        return try rows.reduce(into: [:]) { makers, id in
            let cells = try self.rows.cells(collection, .id(id), in: space)
            guard let maker = RowMaker(cells[FieldSchema.made.name]?.value),
                maker.row(in: space) == id
            else { return }
            if known[maker.user] == nil {
                known[maker.user] = try person(maker.user, chain)
            }
            makers[id] = known[maker.user]
        }
    }

    func person(_ user: Identifier, _ chain: ControlChain) throws -> SpacePerson {
        SpacePerson(
            user: user,
            devices: try deviceNames(of: user, chain, in: chain.space),
            isSelf: user == (try identity.current().user)
        )
    }

    /// Returns the names of a person's devices: of the live ones or, if there are none, of all.
    func deviceNames(
        of user: Identifier,
        _ chain: ControlChain,
        in space: Identifier
    ) throws -> [String] {
        let cards = chain.cards.values.filter {
            $0.card.user == user && $0.card.kind == .device
        }
        let live = cards.filter(\.isLive)
        return try (live.isEmpty ? cards : live)
            .compactMap { try devices.name(of: $0.card.device, in: space) }.sorted()
    }
}
