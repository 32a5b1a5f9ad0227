/// What a person did on this device at one time, undone as a whole.
package struct Action: Hashable, Sendable {
    struct Write: Hashable, Sendable {
        let key: Key
        /// The values before and after; null if the cell was unset.
        let before: Value
        let after: Value
    }

    /// The description of the action, shown to the person.
    package let words: String
    package let time: UnixTime
    let writes: [Write]
}

/// The outcome of an undo or redo.
package struct Undoing: Hashable, Sendable {
    package let action: Action
    /// The number of cells that were overwritten since, and therefore stay unchanged.
    package let overtaken: Int

    /// Whether no cell was left to write.
    package var isEmpty: Bool { overtaken == action.writes.count }
}

/// The column `cells`: a CBOR list of `[collection, row, field, before, after]`.
///
/// The two values are encoded byte strings, so they may nest as deep as a value by itself.
extension [Action.Write] {
    var packed: [UInt8] {
        Value.list(
            map { write in
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
}

extension Action {
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
