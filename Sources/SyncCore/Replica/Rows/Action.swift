/// What a person did on this device at once, which can be undone at once.
package struct Action: Hashable, Sendable {
    /// One cell that it wrote.
    struct Write: Hashable, Sendable {
        let key: Key
        /// The values before and after; null where there was none.
        let before: Value
        let after: Value
    }

    /// What was done, as a person says it.
    package let words: String
    /// When.
    package let time: UnixTime
    let writes: [Write]
}

/// What undoing, or doing again, came to.
package struct Undoing: Hashable, Sendable {
    /// What was done.
    package let action: Action
    /// How many of its cells were written again since: they stay as they are.
    package let overtaken: Int
}

/// The column `cells`: a list of `[collection, row, field, before, after]`, with encoded values: they may
/// be as deep as a list may be by itself.
extension Action {
    var packed: [UInt8] {
        Value.list(
            writes.map { write in
                let row: Value =
                    switch write.key.row {
                    case .id(let id): .bytes(id.bytes)
                    case .text(let text): .text(text)
                    }
                return .list([
                    .text(write.key.collection), row, .text(write.key.field),
                    .bytes(write.before.encoded), .bytes(write.after.encoded),
                ])
            }
        ).encoded
    }

    static func writes(in packed: [UInt8]) throws -> [Write] {
        try (Value(decoding: packed).list ?? []).compactMap(Write.init)
    }
}

extension Action.Write {
    fileprivate init?(_ value: Value) throws {
        guard let parts = value.list, parts.count == 5, case .text(let collection) = parts[0],
            let row = Row(parts[1]), case .text(let field) = parts[2],
            let before = parts[3].bytes, let after = parts[4].bytes
        else { return nil }
        self.init(
            key: Key(collection, row, field),
            before: try Value(decoding: before),
            after: try Value(decoding: after)
        )
    }
}

extension Row {
    fileprivate init?(_ value: Value) {
        switch value {
        case .bytes(let bytes):
            guard let id = Identifier(bytes: bytes) else { return nil }
            self = .id(id)
        case .text(let text): self = .text(text)
        default: return nil
        }
    }
}
