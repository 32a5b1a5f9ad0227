import ProgramKit
import SyncCore

/// The beginning of an id, as a person types it.
struct IDPrefix: Sendable {
    static let shortest = 4
    private static let columns = 8

    /// What the person typed.
    let word: String
    private let text: String

    /// Reads a word as leniently as Crockford says; shorter than four characters is no prefix.
    init(_ word: String) throws(UserError) {
        guard word.count >= Self.shortest else {
            throw UserError(
                .usage,
                "'\(word)' is too short for an id",
                hint: "give at least the first \(Self.shortest) characters"
            )
        }
        self.word = word
        text = String(
            word.lowercased().map { letter in
                letter == "o" ? "0" : letter == "i" || letter == "l" ? "1" : letter
            }
        )
    }

    /// The ids that begin so; nil where none can.
    var ids: ClosedRange<Identifier>? {
        let missing = Self.length - text.count
        guard missing >= 0, let first = Identifier(text + String(repeating: "0", count: missing)),
            let last = Identifier(text + String(repeating: "z", count: missing))
        else { return nil }
        return first...last
    }

    private static let length = 26

    /// Whether an id begins so.
    func matches(_ id: Identifier) -> Bool { id.description.hasPrefix(text) }

    /// The one of `items` whose id begins so.
    func pick<Item>(
        from items: [Item],
        what: String,
        plural: String,
        list: String,
        id: (Item) -> Identifier,
        name: (Item) -> String?
    ) throws(UserError) -> Item {
        let found = items.filter { matches(id($0)) }
        guard let first = found.first else {
            throw UserError(.notFound, "no \(what) '\(word)'", hint: "see '\(list)'")
        }
        guard found.count == 1 else {
            let ids = Self.short(found.map(id))
            let names = zip(ids, found).map { id, item in
                name(item).map { "\(id) (\($0.withoutControls.shortened(to: 30)))" } ?? id
            }
            throw UserError(
                .attention,
                "'\(word)' is ambiguous: \(found.count) \(plural) begin with it: "
                    + names.joined(separator: ", "),
                hint: "give more characters"
            )
        }
        return first
    }

    /// Ids for a table: so much of each that no two are alike, eight characters or more.
    ///
    /// - Parameter others: ids that these are to be told from, too.
    static func short(_ ids: [Identifier], among others: [Identifier] = []) -> [String] {
        let width = width(ids + others)
        return ids.map { String($0.description.prefix(width)) }
    }

    /// So many characters tell ids apart, eight or more.
    static func width(_ ids: [Identifier]) -> Int {
        let sorted = ids.sorted().map(\.description)
        let alike = zip(sorted, sorted.dropFirst()).filter { $0 != $1 }.map { one, next in
            zip(one.utf8, next.utf8).prefix { $0 == $1 }.count
        }
        return max(columns, (alike.max() ?? 0) + 1)
    }
}

extension Identifier {
    /// The id as messages name it.
    var short: String { String(description.prefix(8)) }
}
