@testable import SyncCore

/// What a person writes, undoes and redoes.
extension World {
    func write(_ edits: [Edit], on device: SimulatedDevice) throws {
        guard device.replica != nil, let space = try ownSpace(of: device) else { return }
        let now = device.clock.moment
        let news = try attempt(on: device) { replica in
            let cells = try await replica.allCells(in: space)
            return edits.filter { edit in
                guard let present = cells[edit.key] else { return edit.value != .null }
                return edit.origin == .person || present.encoded != edit.value.encoded
            }
        }
        let written = try attempt(on: device) {
            try await $0.write {
                try $0.actions.write(edits, as: "edit", in: space, at: now, checksTypes: false)
            }
        }
        note(news ?? [], isCertain: written != nil, on: device, at: now)
    }

    /// Undoes the last action of a device, or redoes what was undone last; or both, which changes no
    /// value.
    func turn(on device: SimulatedDevice, _ random: inout SplitMix64) throws {
        guard device.replica != nil, let space = try ownSpace(of: device) else { return }
        let now = device.clock.moment
        let turns: [Turn] = [[.undo], [.undo], [.redo], [.undo, .redo]][
            Int.random(in: 0..<4, using: &random)
        ]
        // A crash may leave it done or not.
        let planned = try attempt(on: device) { replica in
            try await replica.rollingBack { try turns.edits(by: $0, in: space, at: now) }
        }
        guard let planned else { return }
        let made = try attempt(on: device) { replica in
            try await replica.write { try turns.edits(by: $0, in: space, at: now) }
        }
        if turns.count > 1, let edit = made?.first(where: { !$0.isRepeated }) {
            throw fail("undone and redone, \(edit.edit.key) is \(edit.edit.value)")
        }
        note((made ?? planned).map(\.edit), isCertain: made != nil, on: device, at: now)
    }

    /// Notes what a person wrote, which may be lost if it is not certain that the database took it.
    private func note(
        _ edits: [Edit],
        isCertain: Bool,
        on device: SimulatedDevice,
        at now: Moment
    ) {
        let number = device.number
        for edit in edits {
            trace.note("    \(edit.key.row)/\(edit.key.field.string) = \(edit.value)")
            let place = Place(person: device.person, key: edit.key)
            // A disk that lies may go back to any state since it began to.
            beforeLies[number]?.noteUncertain(edit.value, at: edit.key)
            if isCertain {
                expectations[number, default: Expectations()].note(edit.value, at: edit.key)
            } else {
                expectations[number, default: Expectations()].noteUncertain(
                    edit.value,
                    at: edit.key
                )
            }
            writes[place, default: []].append(
                DatedWrite(
                    value: edit.value,
                    isCertain: isCertain,
                    time: time.now,
                    device: number,
                    boot: now.boot
                )
            )
        }
    }
}

private enum Turn {
    case undo, redo
}

/// A cell that an undo or a redo wrote.
private struct TurnedCell: Sendable {
    let edit: Edit
    /// Whether the value is that from before.
    let isRepeated: Bool
}

extension [Turn] {
    /// Does them, and returns what they wrote.
    fileprivate func edits(
        by parts: ReplicaParts,
        in space: Identifier,
        at now: Moment
    ) throws -> [TurnedCell] {
        let before = try parts.rows.allCells(in: space)
        for turn in self {
            let turned =
                switch turn {
                case .undo: try parts.actions.undo(in: space, at: now)
                case .redo: try parts.actions.redo(in: space, at: now)
                }
            // The next one would concern another action.
            guard let turned, !turned.isEmpty else { break }
        }
        let after = try parts.rows.allCells(in: space)
        return after.keys.sorted().compactMap { key in
            guard let cell = after[key], cell != before[key] else { return nil }
            return TurnedCell(
                edit: Edit(key, cell.value),
                isRepeated: cell.value == before[key]?.value
            )
        }
    }
}

extension Replica {
    /// What a change would return, which is not made.
    fileprivate func rollingBack<Result: Sendable>(
        _ body: @Sendable (ReplicaParts) throws -> Result
    ) throws -> Result {
        do {
            return try write { throw Rollback(result: try body($0)) }
        } catch let rollback as Rollback<Result> {
            return rollback.result
        }
    }
}

private struct Rollback<Result: Sendable>: Error {
    let result: Result
}
