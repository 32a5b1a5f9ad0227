/// A kind of replicated data, declared once: `design.md`, section 3.
///
/// Generic code (conflicts, history, undo, trash, refused and held work, admission, salvage, audit,
/// JSON, the reference) asks the declaration and names no collection. A new kind of data is a file
/// with its declaration, and one line in ``CollectionRegistry``.
public struct CollectionSchema: Sendable {
    /// The name in every key.
    public let name: Text
    /// What one row is called: `place`.
    public let noun: String
    /// What several are called: `places`.
    public let plural: String
    /// What a row is, for people.
    public let summary: String
    /// What the rows are named after.
    public let rows: RowNaming
    /// Who may write its rows.
    public let writers: Writers
    /// The fields, in the order in which people read them.
    public let fields: [FieldSchema]
    /// The field that names a row for people; nil where no field does.
    public let title: Text?
    /// What its chunks hold; nil where its cells name none.
    public let chunks: Chunks?
    /// The tables that follow from its rows; nil for none.
    package let projection: Projection?

    /// What the rows of a collection are named after.
    public enum RowNaming: Hashable, Sendable {
        /// Each is a thing of its own, with a random id: it can be deleted, restored and named.
        case own
        /// Each continues the row of the same id in another collection.
        case continuing(Text)
        /// Each belongs to a person or to a device: `user/<id>`, `device/<id>`; or to all: `space`.
        case scopes
        /// Each has the id of a device.
        case devices
    }

    /// Who may write the rows of a collection.
    public enum Writers: String, Sendable {
        /// Everyone who may write in the space.
        case editors
        /// The person who made the row.
        case maker
        /// The person or the device that the row is named after.
        case oneself
        /// The admins of the space.
        case admins
    }

    /// What the chunks of a collection hold, which decides when they travel.
    public enum Chunks: Sendable {
        /// Samples.
        case samples
        /// Pieces of files, which wait until everything else is sent.
        case files
    }

    /// A set of tables that follow from rows and can be made anew.
    package struct Projection: Hashable, Sendable {
        let name: String
    }

    /// A kind of data.
    package init(
        _ name: Text,
        noun: String,
        plural: String,
        _ summary: String,
        rows: RowNaming = .own,
        writers: Writers = .editors,
        title: Text? = nil,
        chunks: Chunks? = nil,
        projection: Projection? = nil,
        fields: [FieldSchema]
    ) {
        (self.name, self.noun, self.plural, self.summary) = (name, noun, plural, summary)
        (self.rows, self.writers, self.title, self.chunks) = (rows, writers, title, chunks)
        self.projection = projection
        self.fields = rows == .own ? fields + [.deleted] : fields
    }

    /// The schema of a field; nil for one that a newer program wrote.
    public func field(_ name: Text) -> FieldSchema? {
        fields.first { !$0.isFamily && $0.name == name } ?? fields.first { $0.covers(name) }
    }

    /// Whether a person may have chosen the value of a field: true for an unknown one.
    public func isEdited(_ name: Text) -> Bool { field(name)?.isEdited ?? true }

    /// The fields that decide whether a row is shown.
    var rowDecisions: [FieldSchema] { fields.filter { $0.role == .rowDecision } }
}

extension CollectionSchema {
    /// Whose row it is, where only that person or device may write it; nil where others may.
    public func owner(of row: Row) -> RowOwner? {
        writers == .oneself ? RowOwner(row) : nil
    }
}

/// The person or the device that a row is named after.
public enum RowOwner: Hashable, Sendable {
    case user(Identifier)
    case device(Identifier)
    /// A name of that form that is nobody's: an id has one spelling, so that no second row stands
    /// beside the first.
    case nobody

    /// The owner that the row's name tells; nil where it belongs to all.
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
