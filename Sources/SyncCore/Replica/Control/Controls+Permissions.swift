/// What this device may write in a space, by the control sets that it has merged.
struct Permissions {
    let space: Identifier
    let policy: AdmissionPolicy
    /// Nil for a device that is about to enter: only its server can judge it.
    let author: AdmissionPolicy.Author?
    let collections: CollectionRegistry

    /// - Parameter isMaker: whether this person made the row.
    func of(_ change: Change, isMaker: Bool) -> AdmissionPolicy.Permission {
        guard let author else { return .allowed }
        let schema = collections[change.key.collection]
        return policy.permission(of: author, toWrite: change, schema, isMaker: isMaker)
    }

    /// Whether this person may write a change only into a row that they made.
    func needsMaker(_ change: Change) -> Bool {
        of(change, isMaker: false) == .role && of(change, isMaker: true) == .allowed
    }
}

extension Controls {
    /// Returns what this device may write in a space.
    func permissions(inSpace number: Int64) throws -> Permissions {
        let chain = try chain(ofSpace: number)
        let own = try identity.current()
        let author = chain.role(ofDevice: own.device).map { role in
            AdmissionPolicy.Author(
                device: own.device,
                user: own.user,
                role: role,
                controls: chain.count
            )
        }
        return Permissions(
            space: chain.space,
            policy: AdmissionPolicy(chain),
            author: author,
            collections: collections
        )
    }

    /// Returns the first edit that this person may not make; nil if they may make all.
    package func forbidden(among edits: [Edit], in space: Identifier) throws -> Edit? {
        let stamp = Stamp(time: Stamp.importTime, replica: .zero)
        let changes = edits.map { Change(key: $0.key, cell: Cell(stamp: stamp, value: $0.value)) }
        let keys = try forbidden(among: changes, in: try spaces.number(ofSpace: space))
        return edits.first { keys.contains($0.key) }
    }

    /// Returns the keys of the changes that this person may not make.
    func forbidden(among changes: [Change], in space: Int64) throws -> Set<Key> {
        let permissions = try permissions(inSpace: space)
        let new = changes.filter { $0.key.field == FieldSchema.made.name }.map(\.key.row)
        let made = Set(try proofs(for: changes, permissions).keys).union(new)
        return Set(
            changes.filter {
                permissions.of($0, isMaker: made.contains($0.key.row)) != .allowed
            }
            .map(\.key)
        )
    }

    /// Returns the cells that prove that this person made the rows of changes, by row; none for changes
    /// that need no proof.
    ///
    /// Their stamps are those of an import, so that writing them again changes no value.
    func proofs(for changes: [Change], _ permissions: Permissions) throws -> [Row: Change] {
        guard let author = permissions.author else { return [:] }
        let own = try identity.current()
        let number = try spaces.number(ofSpace: permissions.space)
        let rows = Set(changes.filter(permissions.needsMaker).map(\.key.rowName))
        return try rows.reduce(into: [:]) { proofs, name in
            guard proofs[name.row] == nil, let home = collections.home(of: name.collection),
                let cell = try self.rows.find(number, home, name.row)?.cell(FieldSchema.made.name),
                let maker = RowMaker(cell.value), maker.user == author.user,
                maker.row(in: permissions.space) == name.row.id
            else { return }
            let stamp = Stamp(time: Stamp.importTime, replica: own.replica)
            proofs[name.row] = Change(
                key: Key(home, name.row, FieldSchema.made.name),
                cell: Cell(stamp: stamp, encoded: cell.encoded)
            )
        }
    }
}
