extension Rows {
    /// Writes fields of one space; returns how many were written.
    ///
    /// The edits are durable once the transaction commits. Values that equal the present ones are
    /// skipped. Texts hold up to 16 KiB and values up to 128 KiB:
    /// ``ReplicaError/tooLarge(field:byteCount:)``. Values nest up to 13 levels and numbers are
    /// finite: ``ReplicaError/notEncodable(field:)``.
    @discardableResult
    public func write(_ edits: [Edit], in space: Identifier, at now: Moment) throws -> Int {
        try apply(edits, in: try spaces.number(ofSpace: space), at: now)
    }

    /// Checks that a person's edits have the types that the collections declare.
    ///
    /// Throws ``ReplicaError/wrongType(field:expected:)``. Only local writes are checked: a merge
    /// accepts any type.
    func checkTypes(of edits: [Edit]) throws {
        for edit in edits where edit.origin == .person && edit.value != .null {
            guard let field = collections.field(edit.key), !field.type.accepts(edit.value) else {
                continue
            }
            throw ReplicaError.wrongType(field: edit.key.field, expected: field.type.expected)
        }
    }

    /// Merges edits into the overlay, inside the caller's transaction; returns how many were written.
    ///
    /// - Parameter repeatsValues: whether a person's edit is written even if the cell already has
    ///   that value. It then wins over what another device wrote meanwhile.
    @discardableResult
    func apply(
        _ edits: [Edit],
        in space: Int64,
        at now: Moment,
        repeatsValues: Bool = false
    ) throws -> Int {
        var (clock, periods) = try identity.loadClocks()
        var written = 0
        var period: Int64?
        for (name, edits) in try grouped(edits) {
            var stored = try open(space, name.collection, name.row)
            for edit in edits {
                let present = stored.cell(edit.key.field)
                guard
                    let cell = cell(
                        for: edit,
                        over: present,
                        repeatsValues: repeatsValues,
                        clock: &clock,
                        at: now.wall
                    )
                else { continue }
                stored.overlay[edit.key.field] = cell
                if period == nil, !cell.stamp.isTimeless {
                    period = try clockPeriods.number(of: now, in: periods)
                }
                let state = Unsent.State.written(period: period ?? ClockPeriods.unknown)
                let unsent = Unsent(cell, at: now.wall, state: state)
                try unsealed.put(stored.number, edit.key.field, unsent, isForced: true)
                written += 1
            }
            try save(stored)
        }
        try identity.saveClock(clock)
        return written
    }

    private func grouped(_ edits: [Edit]) throws -> [(name: Key, edits: [Edit])] {
        var groups: [(name: Key, edits: [Edit])] = []
        var places: [Key: Int] = [:]
        for edit in edits {
            try edit.check()
            let name = edit.key.rowName
            if let place = places[name] {
                groups[place].edits.append(edit)
            } else {
                places[name] = groups.count
                groups.append((name, [edit]))
            }
        }
        return groups
    }

    /// Returns the cell of an edit, or nil if there is nothing to write.
    private func cell(
        for edit: Edit,
        over present: Cell?,
        repeatsValues: Bool,
        clock: inout StampClock,
        at now: UnixTime
    ) -> Cell? {
        switch edit.origin {
        case .person:
            if present == nil && edit.value == .null { return nil }
            if !repeatsValues && present?.encoded == edit.value.encoded { return nil }
            return Cell(stamp: clock.tick(at: now), value: edit.value)
        case .file:
            guard present == nil else { return nil }
            let stamp = Stamp(time: Stamp.importTime, replica: clock.replica)
            return Cell(stamp: stamp, value: edit.value)
        case .recorder(let count):
            let time = Stamp.importTime + UInt64(clamping: count)
            guard present.map({ $0.stamp.time < time }) ?? true else { return nil }
            return Cell(stamp: Stamp(time: time, replica: clock.replica), value: edit.value)
        }
    }
}
