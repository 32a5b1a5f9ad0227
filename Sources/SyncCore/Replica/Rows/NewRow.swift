/// The name of a row that is to be made, and what says who makes it.
public struct NewRow: Hashable, Sendable {
    /// The row's id.
    public let id: Identifier
    /// What must be written with the row's first fields; empty outside of shared spaces.
    public let edits: [Edit]

    /// A row whose maker nobody needs to know.
    init(_ id: Identifier) { (self.id, edits) = (id, []) }

    /// The row of a shared space that a person makes.
    init(_ maker: RowMaker, in space: Identifier, _ collection: Text) {
        id = maker.row(in: space)
        let key = Key(collection, .id(id), FieldSchema.made.name)
        edits = [Edit(key, maker.value, origin: .file)]
    }
}

extension Rows {
    /// Names a new row, which no other has the name of.
    ///
    /// In a shared space the id tells that this person made the row.
    public func new(_ collection: Text, in space: Identifier) throws -> NewRow {
        let id = newIdentifier()
        return try maker(salt: id.bytes, in: space).map { NewRow($0, in: space, collection) }
            ?? NewRow(id)
    }

    /// Returns who makes a row of a shared space here; nil for the own space.
    ///
    /// - Parameter salt: 1 to 64 bytes, from which the row's id follows.
    func maker(salt: [UInt8], in space: Identifier) throws -> RowMaker? {
        guard try spaces.isShared(space) else { return nil }
        return RowMaker(user: try identity.current().user, salt: salt)
    }
}
