/// The tracks whose line must be updated before the transaction commits, and the table
/// `derivation`.
final class TrackChanges: RowObserver {
    private let database: Database
    private let collections: CollectionRegistry
    private var changed: Set<RowAddress> = []

    init(database: Database, collections: CollectionRegistry) {
        (self.database, self.collections) = (database, collections)
    }

    func forget() { changed = [] }

    func update(in replica: some ReplicaPart) throws {
        while let track = changed.popFirst() {
            changed.subtract(try replica.projection.update(track))
        }
    }

    func chunksChanged(of row: RowAddress) { changed.insert(row) }

    func rowSaved(_ row: StoredRow) throws {
        guard let id = row.row.id, collections[row.collection]?.projection == .tracks else {
            return
        }
        let track = RowAddress(space: row.space, id: id)
        changed.insert(track)
        if row.collection == TrackField.collection { try recordDerivation(of: track, row) }
    }

    /// Stores which tracks a track names as sources or successors.
    ///
    /// The entries stay when the track names them no longer, because their standing may depend on
    /// it.
    private func recordDerivation(of place: RowAddress, _ row: StoredRow) throws {
        let fields = [TrackEdits.parts, TrackEdits.supersededBy]
        let named = fields.reduce(into: [:]) { $0[$1] = row.cell($1) }
        guard !named.isEmpty else { return }
        for other in Set(TrackEdits(named).relatives) {
            try database.run(
                """
                INSERT INTO derivation (space, track, other)
                VALUES (\(place.space), \(place.id), \(other)) ON CONFLICT DO NOTHING
                """
            )
        }
    }
}
