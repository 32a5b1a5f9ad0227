/// A field of a collection, or a family of fields with a common prefix.
public struct FieldSchema: Sendable {
    /// The name of the field, or the prefix of the family.
    public let name: Text
    /// Whether the schema covers all fields with the prefix, such as `tag/<word>`.
    public let isFamily: Bool
    /// The type of the value.
    public let type: FieldType
    /// The unit of the numbers, or nil if there is none.
    public let unit: String?
    /// A description for people.
    public let summary: String
    /// Whether a person chooses the value, so that two people can disagree.
    public let isEdited: Bool
    /// The value's effect on the whole row.
    public let role: Role

    /// The effect of a field's value on the whole row.
    public enum Role: Sendable {
        /// No effect beyond its own field.
        case value
        /// Decides whether the row is shown: concurrent writes to such fields conflict.
        case rowDecision
        /// Names what the row was made from; undoing the creation leaves such a row unchanged.
        case origin
    }

    /// Declares a field, or a family of fields.
    public init(
        _ name: Text,
        _ type: FieldType,
        unit: String? = nil,
        _ summary: String,
        isFamily: Bool = false,
        isEdited: Bool = true,
        role: Role = .value
    ) {
        (self.name, self.type, self.unit, self.summary) = (name, type, unit, summary)
        (self.isFamily, self.isEdited, self.role) = (isFamily, isEdited, role)
    }

    /// Declares a field that nobody edits.
    static func unedited(_ name: Text, _ type: FieldType, _ summary: String) -> FieldSchema {
        FieldSchema(name, type, summary, isEdited: false)
    }

    /// Declares all fields of a collection, whatever their names; nobody edits them.
    static func everyField(_ type: FieldType, _ summary: String) -> FieldSchema {
        FieldSchema("", type, summary, isFamily: true, isEdited: false)
    }

    /// The field that is true while the row is in the trash.
    ///
    /// Every collection with ``CollectionSchema/RowNaming/own`` rows has it.
    public static let deleted = FieldSchema(
        "deleted",
        .bool,
        "true while the row is in the trash",
        role: .rowDecision
    )

    /// The field that tells who made a row of a shared space; see ``RowMaker``.
    ///
    /// Every collection with ``CollectionSchema/RowNaming/own`` rows has it.
    package static let made = FieldSchema.unedited(
        "made",
        .structure(.maker),
        "the person who made the row of a shared space, and a salt"
    )

    /// Whether this is the schema of `field`.
    public func covers(_ field: Text) -> Bool {
        isFamily ? field.utf8.starts(with: name.utf8) : field == name
    }
}

extension FieldType.Structure {
    /// A ``RowMaker``.
    package static let maker = Self(
        "a person and the salt of a row's id",
        examples: RowMaker(user: .zero, salt: [1]).value,
        RowMaker(user: .zero, salt: [2]).value
    ) { RowMaker($0) != nil }
}
