extension CollectionSchema {
    /// The places that people save, independent of tracks.
    public static let place = CollectionSchema(
        "place",
        noun: "place",
        plural: "places",
        "a place that people keep: a harbour, a mooring, a meeting point",
        title: Place.Field.name,
        fields: [
            FieldSchema(Place.Field.name, .text(byteLimit: Place.nameByteLimit), "the name"),
            FieldSchema(Place.Field.position, .structure(.position), unit: "1e-7°", "the position"),
            FieldSchema(Place.Field.notes, .anyText, "the notes"),
        ]
    )
}

/// A place that a person saved.
public struct Place: Hashable, Sendable {
    /// The id of the place's row.
    public let id: Identifier
    /// The place's name, or nil if it has none.
    public let name: String?
    /// The position, or nil if it is missing or this version cannot read it.
    package let position: Coordinate?
    /// A person's notes about the place.
    public let notes: String?

    /// The most bytes in a name when it is written.
    package static let nameByteLimit = 200

    package enum Field {
        package static let name: Text = "name"
        package static let position: Text = "position"
        package static let notes: Text = "notes"
    }

    package init(id: Identifier, _ cells: [Text: Cell]) {
        self.id = id
        name = cells[Field.name]?.value.text
        position = cells[Field.position].flatMap { Coordinate($0.value) }
        notes = cells[Field.notes]?.value.text
    }

    /// Decodes a row, or returns nil if the row is not named by an id.
    package init?(_ row: RowState) {
        guard let id = row.key.row.id else { return nil }
        self.init(id: id, row.cells)
    }
}

extension Coordinate {
    /// Decodes ``value``, or returns nil for anything else.
    package init?(_ value: Value) {
        guard let parts = value.list, parts.count == 2, let latitude = parts[0].integer,
            let longitude = parts[1].integer
        else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }

    /// The list `[latitude, longitude]`, in 1e-7 degrees.
    package var value: Value {
        .list([.integer(Int64(latitude)), .integer(Int64(longitude))])
    }
}

extension FieldType.Structure {
    /// A ``Coordinate``.
    package static let position = Self(
        "latitude and longitude",
        examples: .list([.integer(528_512_300), .integer(53_104_500)]),
        .list([.integer(-338_500_000), .integer(1_512_000_000)])
    ) { Coordinate($0) != nil }
}
