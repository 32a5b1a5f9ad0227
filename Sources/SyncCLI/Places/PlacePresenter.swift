import ProgramKit
import SyncCore

extension RowPresenter {
    /// Presents places with their position in degrees.
    static let place = RowPresenter(schema: .place) { row, _ in
        Place(id: row.name.id, row.state.cells).members
    }
}

extension Place {
    /// The JSON members of a place.
    var members: [(String, JSON)] {
        [
            ("id", .text(id.description)), ("name", .text(name)),
            ("position", position?.json ?? .null), ("notes", .text(notes)),
        ]
    }
}
