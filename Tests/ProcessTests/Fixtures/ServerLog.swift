import SyncCore
import Testing

/// What a server's file has, read with the server's own tables.
struct ServerLog {
    /// One row of the log.
    struct Entry: Hashable {
        let space: Identifier
        let position: Int64
        let replica: Identifier
        let sequence: Int64
        let hash: Digest
    }

    let entries: [Entry]
    let chunks: Set<Digest>

    init(of site: Site) throws {
        let database = try Database(path: site.path + "/server/store.db")
        entries = try database.all(
            """
            SELECT space_id, position, replica_id, sequence, hash FROM log
            ORDER BY space_id, position
            """
        ) {
            Entry(
                space: $0.id(0),
                position: $0.integer(1),
                replica: $0.id(2),
                sequence: $0.integer(3),
                hash: $0.digest(4)
            )
        }
        chunks = Set(try database.all("SELECT hash FROM chunk") { $0.digest(0) })
    }

    var hashes: Set<Digest> { Set(entries.map(\.hash)) }

    /// Positions and sequences have no gap, and nothing is there twice.
    func expectDense(sourceLocation: SourceLocation = #_sourceLocation) {
        for (_, entries) in Dictionary(grouping: entries, by: \.space) {
            let positions = entries.map(\.position)
            #expect(positions == Array(1...Int64(entries.count)), sourceLocation: sourceLocation)
            for (_, own) in Dictionary(grouping: entries, by: \.replica) {
                let sequences = own.map(\.sequence)
                #expect(sequences == Array(1...Int64(own.count)), sourceLocation: sourceLocation)
            }
        }
        #expect(hashes.count == entries.count, sourceLocation: sourceLocation)
    }
}
