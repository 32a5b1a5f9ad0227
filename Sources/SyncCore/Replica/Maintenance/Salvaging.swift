/// A salvage while it goes on.
struct Salvaging {
    let recovered: RecoveredDatabase
    /// The number of the own space in the new replica.
    let own: Int64
    let device: DeviceKeys
    var salvage = Salvage()
    /// What verified sets say that are in the log or wait for it.
    var cells: [RecoveredDatabase.Place: [Text: Cell]] = [:]
    /// The greatest stamp time.
    var greatest: UInt64 = 0

    init(recovered: RecoveredDatabase, own: Int64, device: DeviceKeys) {
        self.recovered = recovered
        self.own = own
        self.device = device
        salvage.isSameDevice = recovered.isWhole
        greatest = recovered.identity?.clock ?? 0
    }

    /// The number in the new replica of a space in the damaged one; nil where it has no place.
    func space(_ number: Int64) -> Int64? {
        if recovered.isWhole { return recovered.spaces[number] == nil ? nil : number }
        return recovered.isOwnSpace(number) ? own : nil
    }
}

/// A field that was written and that no set is known to carry.
struct Unsent {
    let time: UInt64
    let value: [UInt8]
    let wall: Int64
    let isReissued: Bool
}

extension Unsent {
    /// What was sealed before, or is only known from what lay over the log.
    init(_ cell: Cell, _ now: UnixTime) {
        time = cell.stamp.time
        value = cell.encoded
        wall =
            cell.stamp.time == Stamp.importTime
            ? now.milliseconds : cell.stamp.wall.milliseconds
        isReissued = true
    }
}

extension Salvaging {
    /// Merges what a verified set says.
    mutating func add(_ changes: [Change], in space: Int64) {
        for change in changes {
            let place = RecoveredDatabase.Place(change.key, in: space)
            let present = cells[place]?[change.key.field]
            cells[place, default: [:]][change.key.field] =
                present.map { max($0, change.cell) }
                ?? change.cell
            greatest = max(greatest, change.cell.stamp.time)
        }
    }

    /// Fields that were not sealed, and those that only the overlay tells of: the page of the set
    /// that carried them is lost.
    ///
    /// - Parameter rewritten: what sets say that nobody will take.
    mutating func unsent(
        _ rewritten: [RecoveredDatabase.Place: [Text: Unsent]]
    ) throws -> [RecoveredDatabase.Place: [Text: Unsent]] {
        var unsent = rewritten
        for written in recovered.unsealed {
            guard let place = recovered.places[written.row] else { continue }
            if let other = unsent[place]?[written.field], other.time > written.time { continue }
            unsent[place, default: [:]][written.field] = Unsent(
                time: written.time,
                value: written.value,
                wall: written.wall,
                isReissued: written.isReissued
            )
            greatest = max(greatest, written.time)
        }
        for (number, bytes) in recovered.overlays {
            guard let place = recovered.places[number] else { continue }
            for (field, cell) in overlay(bytes) where isUnsent(cell, field, of: place) {
                if let written = unsent[place]?[field], written.time >= cell.stamp.time { continue }
                unsent[place, default: [:]][field] = Unsent(cell, cell.stamp.wall)
            }
        }
        return unsent
    }

    /// As far as it can be read.
    private func overlay(_ bytes: [UInt8]) -> [Text: Cell] {
        let record = try? CellRecord(decoding: bytes) { recovered.replicas[$0] ?? .zero }
        return record?.cells ?? [:]
    }

    /// Whether a cell of the overlay is an own write that no verified set has, or a later one over.
    private func isUnsent(_ cell: Cell, _ field: Text, of place: RecoveredDatabase.Place) -> Bool {
        guard recovered.isOwn(cell.stamp.replica), (try? Value(decoding: cell.encoded)) != nil,
            recovered.identity.map({ cell.stamp.time <= $0.clock })
                ?? (cell.stamp.time < Stamp.limit)
        else { return false }
        return cells[place]?[field].map { $0.stamp.time < cell.stamp.time } ?? true
    }
}
