/// The outcome of importing one place.
package struct ImportedPlace: Hashable, Sendable {
    /// The row, named after the place's name and position, so two files with the same place give
    /// one.
    package let id: Identifier
    package let isNew: Bool
    /// Whether the place exists and is in the trash.
    package let isDeleted: Bool
}

package struct Places: ReplicaPart {
    package let context: ReplicaContext

    /// Imports the places of a file; existing places stay unchanged.
    package func insert(
        _ waypoints: [ImportedWaypoint],
        into space: Identifier,
        now: Moment
    ) throws -> [ImportedPlace] {
        let places = try preview(waypoints, in: space)
        let edits = try zip(waypoints, places).filter(\.1.isNew).flatMap { waypoint, place in
            try waypoint.edits(of: place.id) + self.row(of: waypoint, in: space).edits
        }
        try rows.apply(edits, in: try spaces.number(ofSpace: space), at: now)
        return places
    }

    /// Returns what an import of places would do.
    package func preview(
        _ waypoints: [ImportedWaypoint],
        in space: Identifier
    ) throws -> [ImportedPlace] {
        let number = try spaces.number(ofSpace: space)
        let kept = Dictionary(
            grouping: try rows.live(CollectionSchema.place.name, in: space).compactMap(Place.init),
            by: \.name
        )
        return try waypoints.map { waypoint in
            // Programs round coordinates, so a nearby place of the same name is the same place.
            let near = kept[waypoint.name]?.first { $0.isNear(waypoint.position) }
            let id = try near?.id ?? self.row(of: waypoint, in: space).id
            let row = try rows.find(number, CollectionSchema.place.name, .id(id))
            return ImportedPlace(
                id: id,
                isNew: row?.cells.isEmpty ?? true,
                isDeleted: row?.isDeleted ?? false
            )
        }
    }
}

extension Places {
    /// Returns the row of an imported place: the same for this person's imports of the place.
    private func row(of waypoint: ImportedWaypoint, in space: Identifier) throws -> NewRow {
        let id = waypoint.placeID
        return try rows.maker(salt: id.bytes, in: space)
            .map { NewRow($0, in: space, CollectionSchema.place.name) } ?? NewRow(id)
    }
}

extension Place {
    /// Returns whether a position lies within 0.0003° of this place (33 m north or south).
    ///
    /// The margin allows for rounding in files.
    fileprivate func isNear(_ other: Coordinate) -> Bool {
        guard let position else { return false }
        let north = Int64(position.latitude) - Int64(other.latitude)
        let east = Int64(position.longitude) - Int64(other.longitude)
        return abs(north) <= Self.nearCount && abs(east) <= Self.nearCount
    }

    private static let nearCount: Int64 = 3000
}

extension ImportedWaypoint {
    fileprivate var placeID: Identifier {
        Self.id(for: "place", [Int64(position.latitude), Int64(position.longitude)], name)
    }

    /// Returns an id that is the same on every device.
    private static func id(for purpose: String, _ numbers: [Int64], _ name: String) -> Identifier {
        let bytes = numbers.flatMap { UInt64(bitPattern: $0).bigEndianBytes }
        let digest = Digest(of: Array("wake/1/import/\(purpose)".utf8) + bytes + name.utf8)
        return Identifier(bytes: digest.bytes[..<16]) ?? .zero
    }

    fileprivate func edits(of id: Identifier) -> [Edit] {
        func edit(_ field: Text, _ value: Value) -> Edit {
            Edit(Key(CollectionSchema.place.name, .id(id), field), value, origin: .file)
        }
        let texts = [
            (Place.Field.name, name.cut(toByteCount: Place.nameByteLimit)),
            (Place.Field.notes, notes.cut(toByteCount: Limits.textByteLimit)),
        ]
        return [edit(Place.Field.position, position.value)]
            + texts.filter { !$0.1.isEmpty }.map { edit($0.0, .text(Text($0.1))) }
    }

    /// The waypoint as a mark on a track, or nil if it has no time.
    var mark: Mark? {
        guard let time else { return nil }
        let words = [name, notes].filter { !$0.isEmpty }.joined(separator: ": ")
        let text = (words.isEmpty ? "waypoint" : words).cut(toByteCount: Mark.textByteLimit)
        return Mark(text, at: time, id: Self.id(for: "mark", [time.milliseconds], text))
    }
}
