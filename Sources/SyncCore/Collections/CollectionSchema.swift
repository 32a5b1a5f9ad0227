/// The declaration of a kind of replicated data.
///
/// Generic code, such as conflicts, history, undo, trash, salvage and JSON, reads this declaration
/// and names no collection. A new kind of data needs one file with its declaration and one line in
/// ``CollectionRegistry``.
public struct CollectionSchema: Sendable {
    /// The name in every key of the collection.
    public let name: Text
    /// The word for one row, such as `place`.
    public let noun: String
    /// The word for several rows, such as `places`.
    public let plural: String
    /// A description of a row for people.
    public let summary: String
    /// The naming of the rows.
    public let rows: RowNaming
    /// Who may write the rows.
    public let writers: Writers
    /// The fields in display order.
    public let fields: [FieldSchema]
    /// The field that holds a row's title, or nil if there is none.
    public let title: Text?
    /// The tables derived from the rows, or nil if there are none.
    package let projection: Projection?

    /// How a collection names its rows.
    public enum RowNaming: Hashable, Sendable {
        /// By an id of its own: the row can be deleted, restored and named.
        ///
        /// The id is random, but a hash in shared spaces and of imports.
        case own
        /// By the id of the row in another collection that it continues.
        case continuing(Text)
        /// By a person, `user/<id>`, by a device, `device/<id>`, or `space` for everyone.
        case scopes
        /// By the id of a device.
        case devices
    }

    /// Who may write the rows of a collection.
    public enum Writers: String, Sendable {
        /// Everyone with write access to the space.
        case editors
        /// The person or the device that the row is named after.
        case oneself
        /// The user of the device that the row is named after.
        case deviceUser
        /// The admins of the space.
        case admins
    }

    /// A set of tables that is derived from rows and can be rebuilt.
    package struct Projection: Hashable, Sendable {
        let name: String
    }

    /// Declares a collection; rows with ids of their own also get the fields
    /// ``FieldSchema/deleted`` and ``FieldSchema/made``.
    package init(
        _ name: Text,
        noun: String,
        plural: String,
        _ summary: String,
        rows: RowNaming = .own,
        writers: Writers = .editors,
        title: Text? = nil,
        projection: Projection? = nil,
        fields: [FieldSchema]
    ) {
        (self.name, self.noun, self.plural, self.summary) = (name, noun, plural, summary)
        (self.rows, self.writers, self.title) = (rows, writers, title)
        self.projection = projection
        self.fields = rows == .own ? fields + [.deleted, .made] : fields
    }

    /// Returns the schema of a field, or nil if this version does not know it.
    public func field(_ name: Text) -> FieldSchema? {
        fields.first { !$0.isFamily && $0.name == name } ?? fields.first { $0.covers(name) }
    }

    /// Whether a person may have chosen the value of a field; true for unknown fields.
    public func isEdited(_ name: Text) -> Bool { field(name)?.isEdited ?? true }

    var rowDecisions: [FieldSchema] { fields.filter { $0.role == .rowDecision } }
}

extension CollectionSchema {
    /// Returns the only person or device that may write the row, or nil if others may too.
    public func owner(of row: Row) -> RowOwner? { writers == .oneself ? RowOwner(row) : nil }
}

/// The person or the device that a row is named after.
public enum RowOwner: Hashable, Sendable {
    case user(Identifier)
    case device(Identifier)
    /// A malformed name of such a row.
    ///
    /// An id has exactly one spelling, so that nobody can have a second row.
    case nobody

    /// Returns the owner in a row's name, or nil if the row belongs to everyone.
    public init?(_ row: Row) {
        guard case .text(let scope) = row else { return nil }
        for (prefix, owner) in Self.scopes where scope.string.hasPrefix(prefix) {
            let rest = scope.string.dropFirst(prefix.count)
            let id = Identifier(String(rest))
            self = id.flatMap { $0.description == rest ? owner($0) : nil } ?? .nobody
            return
        }
        return nil
    }

    private static let scopes: [(String, @Sendable (Identifier) -> RowOwner)] = [
        ("user/", { .user($0) }), ("device/", { .device($0) }),
    ]
}

extension Row {
    /// The row that is a person's own.
    public static func user(_ id: Identifier) -> Row { .text(Text("user/\(id)")) }

    /// The row that is a device's own.
    public static func device(_ id: Identifier) -> Row { .text(Text("device/\(id)")) }
}
