/// One field of a collection, or a family of fields whose names begin alike.
public struct FieldSchema: Sendable {
    /// The name; of a family, what the names of its fields begin with.
    public let name: Text
    /// Whether it stands for all fields that begin with the name, such as `tag/<word>`.
    public let isFamily: Bool
    /// What it may hold.
    public let type: FieldType
    /// The unit of its numbers; nil where they have none.
    public let unit: String?
    /// What it is, for people.
    public let summary: String
    /// Whether a person chooses its value, so that two of them can disagree.
    public let isEdited: Bool
    /// What its value means for the whole row.
    public let role: Role

    /// What the value of a field means for the whole row.
    public enum Role: Sendable {
        /// No more than any other.
        case value
        /// It decides whether the row is shown: two concurrent writes to such fields conflict.
        case rowDecision
        /// It says what the row was made from. Undoing the making leaves such a row as it is.
        case origin
    }

    /// A field, or a family of them.
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

    /// The field that puts a row into the trash while it is true.
    ///
    /// Every collection whose rows are things of their own has it.
    public static let deleted = FieldSchema(
        "deleted",
        .bool,
        "true while the row is in the trash",
        role: .rowDecision
    )

    /// Whether this is the schema of a field.
    public func covers(_ field: Text) -> Bool {
        isFamily ? field.utf8.starts(with: name.utf8) : field == name
    }
}
