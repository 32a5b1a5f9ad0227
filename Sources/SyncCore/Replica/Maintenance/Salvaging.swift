struct Salvaging {
    let recovered: RecoveredDatabase
    /// The number of the own space in the new replica.
    let own: Int64
    let device: DeviceKeys
    var salvage = Salvage()
    /// The control sets of each space that were not refused.
    var controls: [Int64: [SalvagedControl]] = [:]
    /// The merged cells of verified sets that are in the log or waiting.
    var cells: [RecoveredDatabase.Place: [Text: Cell]] = [:]
    var greatest: UInt64 = 0
    /// Differing copies of slices and of the ends of chunks, which stale pages hold, by the numbers
    /// of the chunks.
    ///
    /// Only a chunk's hash tells which copy is sound.
    var copies: [Int64: [ChunkCopy]] = [:]
    var copyCount = 0

    /// The most copies that are kept, a slice each, so that no damage fills the memory.
    static let copyLimit = 4096

    init(recovered: RecoveredDatabase, own: Int64, device: DeviceKeys) {
        self.recovered = recovered
        self.own = own
        self.device = device
        salvage.isSameDevice = recovered.isWhole
        greatest = recovered.identity?.clock ?? 0
    }

    /// Returns a space's number in the new replica, or nil if the space is not salvaged.
    func space(_ number: Int64) -> Int64? {
        if recovered.isWhole { return recovered.spaces[number] == nil ? nil : number }
        return recovered.isOwnSpace(number) ? own : nil
    }
}

/// A second copy of a slice of a chunk, or of its last bytes.
struct ChunkCopy {
    /// The number of the slice; nil for the last bytes.
    let slice: Int64?
    let bytes: [UInt8]
}

extension Salvaging {
    mutating func add(_ changes: [Change], in space: Int64) {
        for change in changes {
            let place = RecoveredDatabase.Place(change.key, in: space)
            cells[place, default: [:]].merge(change)
            greatest = max(greatest, change.cell.stamp.time)
        }
    }

    /// Returns the unsealed fields, and fields of which only the overlay remains.
    ///
    /// A field is in the overlay only if the page with its set is lost.
    ///
    /// - Parameter rewritten: fields of own sets that no server will accept.
    mutating func unsent(
        _ rewritten: [RecoveredDatabase.Place: [Text: Unsent]]
    ) throws -> [RecoveredDatabase.Place: [Text: Unsent]] {
        var unsent = rewritten
        for written in recovered.unsealed {
            guard let place = recovered.places[written.row] else { continue }
            let time = written.unsent.time
            if let other = unsent[place]?[written.field], other.time > time { continue }
            unsent[place, default: [:]][written.field] = written.unsent
            greatest = max(greatest, time)
        }
        for (number, bytes) in recovered.overlays {
            guard let place = recovered.places[number] else { continue }
            for (field, cell) in overlay(bytes) where isUnsent(cell, field, of: place) {
                if let written = unsent[place]?[field], written.time >= cell.stamp.time { continue }
                unsent[place, default: [:]][field] = Unsent(cell)
            }
        }
        return unsent
    }

    /// Returns the cells of an overlay, or none if its record is damaged.
    private func overlay(_ bytes: [UInt8]) -> [Text: Cell] {
        let record = try? CellRecord(
            decoding: bytes,
            replica: { recovered.replicas[$0] ?? .zero },
            field: { number in
                guard let field = recovered.fields[number] else {
                    throw ReplicaError.damagedRecord
                }
                return field
            }
        )
        return record?.cells ?? [:]
    }

    /// Returns whether an overlay cell is an own write that no verified set has or supersedes.
    private func isUnsent(_ cell: Cell, _ field: Text, of place: RecoveredDatabase.Place) -> Bool {
        guard recovered.isOwn(cell.stamp.replica), (try? Value(decoding: cell.encoded)) != nil,
            recovered.identity.map({ cell.stamp.time <= $0.clock })
                ?? (cell.stamp.time < Stamp.limit)
        else { return false }
        return cells[place]?[field].map { $0.stamp.time < cell.stamp.time } ?? true
    }
}
