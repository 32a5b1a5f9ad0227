import ProgramKit
import SyncCore

/// A prefix of an id, as the user typed it.
struct IDPrefix: Sendable {
    static let shortest = 4
    private static let columns = 8

    let word: String
    private let text: String

    /// Parses a prefix of at least four characters; `o`, `i` and `l` count as `0`, `1` and `1`.
    init(_ word: String) throws(UserError) {
        guard word.count >= Self.shortest else {
            throw UserError.usage(
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

    /// The range of ids with this prefix, or nil if no id can have it.
    var ids: ClosedRange<Identifier>? {
        let missing = Self.length - text.count
        guard missing >= 0, let first = Identifier(text + String(repeating: "0", count: missing)),
            let last = Identifier(text + String(repeating: "z", count: missing))
        else { return nil }
        return first...last
    }

    private static let length = 26

    func matches(_ id: Identifier) -> Bool { id.description.hasPrefix(text) }

    /// Returns the only item whose id has this prefix; throws if there are none or several.
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
            throw UserError.notFound("no \(what) '\(word)'", hint: "see '\(list)'")
        }
        guard found.count == 1 else {
            let ids = Self.short(found.map(id))
            let names = zip(ids, found).map { id, item in
                name(item).map { "\(id) (\($0.withoutControls.shortened(to: 30)))" } ?? id
            }
            throw UserError.attention(
                "'\(word)' is ambiguous: \(found.count) \(plural) begin with it: "
                    + names.joined(separator: ", "),
                hint: "give more characters"
            )
        }
        return first
    }

    /// Returns unique prefixes of ids for a table, at least eight characters each.
    ///
    /// - Parameter others: further ids from which the prefixes must differ.
    static func short(_ ids: [Identifier], among others: [Identifier] = []) -> [String] {
        let width = width(ids + others)
        return ids.map { String($0.description.prefix(width)) }
    }

    /// Returns the prefix length that makes ids unique, at least eight.
    static func width(_ ids: [Identifier]) -> Int {
        let sorted = ids.sorted().map(\.description)
        let alike = zip(sorted, sorted.dropFirst()).filter { $0 != $1 }.map { one, next in
            zip(one.utf8, next.utf8).prefix { $0 == $1 }.count
        }
        return max(columns, (alike.max() ?? 0) + 1)
    }
}

extension Identifier {
    /// The first eight characters, for messages.
    var short: String { String(description.prefix(8)) }
}
