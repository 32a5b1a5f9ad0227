import ProgramKit
import SyncCore

extension Library {
    /// Returns the places in alphabetical order, those without a name last.
    func places() async throws -> [Place] {
        let rows = try await replica.read {
            try $0.rows.live(CollectionSchema.place.name, in: space)
        }
        return rows.compactMap(Place.init).sorted {
            ($0.name?.lowercased() ?? "\u{10FFFF}", $0.id)
                < ($1.name?.lowercased() ?? "\u{10FFFF}", $1.id)
        }
    }
}
