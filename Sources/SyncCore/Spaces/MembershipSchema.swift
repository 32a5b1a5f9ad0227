extension CollectionSchema {
    /// The shared spaces that a person is in.
    ///
    /// It is kept in the person's own space, where every device of that person reads it.
    public static let membership = CollectionSchema(
        "membership",
        noun: "memberships",
        plural: "memberships",
        "the shared spaces that a person is in",
        rows: .scopes,
        writers: .oneself,
        fields: [
            FieldSchema(
                MembershipField.anchorPrefix,
                .structure(.anchor),
                "a point in the control chain of the space whose id follows",
                isFamily: true,
                isEdited: false
            )
        ]
    )
}

/// The fields of a person's row.
package enum MembershipField {
    static let anchorPrefix: Text = "in/"

    /// The space whose anchor a field has.
    package static func space(of field: Text) -> Identifier? {
        let prefix = anchorPrefix.string
        guard field.string.hasPrefix(prefix) else { return nil }
        return Identifier(String(field.string.dropFirst(prefix.count)))
    }

    /// The field with the anchor of a space.
    package static func anchor(of space: Identifier) -> Text {
        Text(anchorPrefix.string + space.description)
    }
}

extension FieldType.Structure {
    static let anchor = FieldType.Structure(
        "`[index, hash]` of a control set",
        examples: SpaceAnchor(index: 0, hash: .zero).value,
        SpaceAnchor(index: 7, hash: Digest(of: [7])).value
    ) { SpaceAnchor($0) != nil }
}
