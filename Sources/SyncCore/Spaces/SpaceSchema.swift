extension CollectionSchema {
    /// The name of a shared space.
    public static let space = CollectionSchema(
        "space",
        noun: "space",
        plural: "spaces",
        "the name of a shared space",
        rows: .scopes,
        writers: .admins,
        title: SpaceField.name,
        fields: [
            FieldSchema(SpaceField.name, .text(byteLimit: SpaceField.nameByteLimit), "the name")
        ]
    )
}

/// The fields of a space's only row.
package enum SpaceField {
    package static let name: Text = "name"
    /// The most bytes in a name when it is written.
    package static let nameByteLimit = 200
    /// The cell with the name.
    package static let key = Key(CollectionSchema.space.name, .text("space"), name)
}
