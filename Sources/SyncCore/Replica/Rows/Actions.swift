/// The actions of this device, which can be undone: the table `action`.
package struct Actions: ReplicaPart {
    package let context: ReplicaContext

    /// The number of actions that are kept; older ones are deleted.
    private static let actionLimit = 1000

    /// Writes fields of one space as one action that can be undone.
    ///
    /// Returns how many values changed.
    ///
    /// Works like ``Rows/write(_:in:at:)``, but writes equal values, too: a person who asks for a
    /// value that is shown wants it to stay, whatever another device wrote meanwhile. Unless
    /// `checksTypes` is false, it accepts only values that their collections declare. Undo leaves a
    /// row that a split or join made: it becomes an alternative, and later edits of it stay there.
    @discardableResult
    package func write(
        _ edits: [Edit],
        as words: String,
        in space: Identifier,
        at now: Moment,
        checksTypes: Bool = true
    ) throws -> Int {
        if checksTypes { try rows.checkTypes(of: edits) }
        let number = try spaces.number(ofSpace: space)
        let made = Set(edits.filter { collections.field($0.key)?.role == .origin }.map(\.key.row))
        let changes = try edits.compactMap { edit -> Action.Write? in
            let before = try value(of: edit.key, in: number)
            guard before != edit.value, edit.origin == .person else { return nil }
            return Action.Write(key: edit.key, before: before, after: edit.value)
        }
        try rows.apply(edits, in: number, at: now, repeatsValues: true)
        let writes = changes.filter { !made.contains($0.key.row) }
        guard !writes.isEmpty else { return changes.count }
        try record(Action(words: words, time: now.wall, writes: writes), in: number)
        return changes.count
    }

    /// Undoes the last action of this device in a space; returns nil if there is none.
    ///
    /// Cells that were overwritten since, here or elsewhere, stay.
    package func undo(in space: Identifier, at now: Moment) throws -> Undoing? {
        let number = try spaces.number(ofSpace: space)
        let last: SQL = """
            SELECT number, words, time, cells FROM action WHERE space = \(number) AND undone = 0
            ORDER BY number DESC LIMIT 1
            """
        return try turn(last, in: number, at: now, isUndone: true) { ($0.before, $0.after) }
    }

    /// Redoes the action that was undone last; returns nil if there is none.
    ///
    /// A new action removes all undone ones.
    package func redo(in space: Identifier, at now: Moment) throws -> Undoing? {
        let number = try spaces.number(ofSpace: space)
        let first: SQL = """
            SELECT number, words, time, cells FROM action WHERE space = \(number) AND undone = 1
            ORDER BY number LIMIT 1
            """
        return try turn(first, in: number, at: now, isUndone: false) { ($0.after, $0.before) }
    }

    private func turn(
        _ query: SQL,
        in space: Int64,
        at now: Moment,
        isUndone: Bool,
        values: (Action.Write) -> (new: Value, present: Value)
    ) throws -> Undoing? {
        let found = try database.first(query) {
            (
                number: $0.integer(0),
                action: Action(
                    words: $0.text(1),
                    time: UnixTime(milliseconds: $0.integer(2)),
                    writes: try Action.writes(in: $0.blob(3))
                )
            )
        }
        guard let (number, action) = found else { return nil }
        let turned = try action.writes.filter {
            try value(of: $0.key, in: space) == values($0).present
        }
        try rows.apply(turned.map { Edit($0.key, values($0).new) }, in: space, at: now)
        try keep(turned, ofAction: number, isUndone: isUndone)
        return Undoing(action: action, overtaken: action.writes.count - turned.count)
    }

    /// Stores which writes of an action were turned; the others are no part of it any more.
    ///
    /// A redo must not write a cell that the undo left to another device.
    private func keep(_ writes: [Action.Write], ofAction number: Int64, isUndone: Bool) throws {
        guard !writes.isEmpty else {
            try database.run("DELETE FROM action WHERE number = \(number)")
            return
        }
        try database.run(
            """
            UPDATE action SET undone = \(isUndone ? 1 : 0), cells = \(writes.packed)
            WHERE number = \(number)
            """
        )
    }

    private func record(_ action: Action, in space: Int64) throws {
        try database.run("DELETE FROM action WHERE space = \(space) AND undone = 1")
        try database.run(
            """
            INSERT INTO action (space, time, words, cells)
            VALUES (\(space), \(action.time.milliseconds), \(action.words), \(action.writes.packed))
            """
        )
        try database.run(
            """
            DELETE FROM action
            WHERE number <= (SELECT max(number) FROM action) - \(Self.actionLimit)
            """
        )
    }

    private func value(of key: Key, in space: Int64) throws -> Value {
        try rows.find(space, key.collection, key.row)?.cell(key.field)?.value ?? .null
    }

    /// Returns the last action that is not undone and wrote a value to a cell: its time, and the value
    /// before.
    func lastWrite(
        of value: Value,
        at key: Key,
        in space: Identifier
    ) throws -> (time: UnixTime, before: Value)? {
        var found: (UnixTime, Value)?
        try database.each(
            """
            SELECT cells, time FROM action
            WHERE space = \(spaces.number(ofSpace: space)) AND undone = 0 ORDER BY number
            """
        ) { row in
            let write = try Action.writes(in: row.blob(0)).last {
                $0.key == key && $0.after == value
            }
            if let write { found = (UnixTime(milliseconds: row.integer(1)), write.before) }
        }
        return found
    }
}
