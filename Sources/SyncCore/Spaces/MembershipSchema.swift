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

/// A control set of a space, by which a device knows the right control chain from another one.
package struct SpaceAnchor: Hashable, Sendable {
    /// The index of the control set, below 2^32.
    package let index: UInt64
    package let hash: Digest

    package init(index: UInt64, hash: Digest) { (self.index, self.hash) = (index, hash) }

    package init?(_ value: Value) {
        guard let parts = value.list, parts.count == 2,
            let index = parts[0].integer.flatMap(UInt32.init(exactly:)),
            let bytes = parts[1].bytes, let hash = Digest(bytes: bytes)
        else { return nil }
        self.init(index: UInt64(index), hash: hash)
    }

    package var value: Value { .list([.integer(Int64(index)), .bytes(hash.bytes)]) }
}

extension FieldType.Structure {
    static let anchor = FieldType.Structure(
        "`[index, hash]` of a control set",
        examples: SpaceAnchor(index: 0, hash: .zero).value,
        SpaceAnchor(index: 7, hash: Digest(of: [7])).value
    ) { SpaceAnchor($0) != nil }
}
