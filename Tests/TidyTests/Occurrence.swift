/// A place in a file where a symbol is declared or used.
struct Occurrence: Hashable, Sendable {
    /// What a symbol is at a place, and what it is to another: bits of indexstore.h.
    struct Roles: OptionSet, Hashable, Sendable {
        let rawValue: UInt64

        static let declaration = Roles(rawValue: 1 << 0)
        static let definition = Roles(rawValue: 1 << 1)
        static let reference = Roles(rawValue: 1 << 2)
        static let childOf = Roles(rawValue: 1 << 9)
        static let extendedBy = Roles(rawValue: 1 << 14)
    }

    /// Kinds of symbols that matter here: numbers of indexstore.h.
    enum Kind {
        static let `extension` = 9
        static let methods = 16...18
    }

    /// The parent of a declaration, or the extension in which its type is extended.
    struct Relation: Hashable, Sendable {
        let roles: Roles
        let usr: String
        let name: String
    }

    let roles: Roles
    let line: Int
    let kind: Int
    /// Unified symbol resolution: one name for each symbol of all modules.
    let usr: String
    let name: String
    var relation: Relation?

    /// Whether the symbol comes from here.
    ///
    /// An extension comes from nowhere: its members do, each from the file where it is written.
    var isDeclaration: Bool {
        kind != Kind.extension && !roles.isDisjoint(with: [.declaration, .definition])
    }

    var isMethod: Bool { isDeclaration && Kind.methods.contains(kind) }

    var isReference: Bool { kind != Kind.extension && roles.contains(.reference) }
}
