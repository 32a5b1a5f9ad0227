import SyncCore

/// The beginning of an id, as a person types it.
struct IDPrefix: Sendable {
    static let shortest = 4
    private static let columns = 8

    /// What the person typed.
    let word: String
    private let text: String

    /// Reads a word as leniently as Crockford says; shorter than four characters is no prefix.
    init(_ word: String) throws(Complaint) {
        guard word.count >= Self.shortest else {
            throw Complaint(
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

    /// Whether an id begins so.
    func matches(_ id: Identifier) -> Bool { id.description.hasPrefix(text) }

    /// The one of `items` whose id begins so.
    func pick<Item>(
        from items: [Item],
        what: String,
        list: String,
        id: (Item) -> Identifier,
        name: (Item) -> String?
    ) throws(Complaint) -> Item {
        let found = items.filter { matches(id($0)) }
        guard let first = found.first else {
            throw Complaint(.notFound, "no \(what) '\(word)'", hint: "see '\(list)'")
        }
        guard found.count == 1 else {
            let ids = Self.short(found.map(id))
            let names = zip(ids, found).map { id, item in
                name(item).map { "\(id) (\($0))" } ?? id
            }
            throw Complaint(
                .attention,
                "'\(word)' is the beginning of \(found.count) \(what)s: "
                    + names.joined(separator: ", "),
                hint: "give more characters"
            )
        }
        return first
    }

    /// Ids for a table: so much of each that no two are alike, eight characters or more.
    static func short(_ ids: [Identifier]) -> [String] {
        let texts = ids.map(\.description)
        let distinct = Set(texts).count
        let width = (columns...26).first { width in
            Set(texts.map { $0.prefix(width) }).count == distinct
        }
        return texts.map { String($0.prefix(width ?? 26)) }
    }
}

extension Identifier {
    /// The id as messages name it.
    var short: String { String(description.prefix(8)) }
}
