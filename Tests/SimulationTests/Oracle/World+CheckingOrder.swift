@testable import SyncCore

/// One write of a field.
struct DatedWrite {
    let value: Value
    /// Whether it was written; a crash may have prevented it.
    let isCertain: Bool
    /// The true time, in milliseconds.
    let time: Int64
    /// The device and its boot.
    let device: Int
    let boot: Identifier
}

extension World {
    /// Of the writes that came into the log the last one wins, by true time, if the devices can know
    /// that time.
    func checkOrder(of person: Int, _ log: ServerLog) throws {
        for (place, all) in writes where place.person == person {
            guard all.allSatisfy(isDated), let writes = logged(all, at: place, log),
                let cell = log.cells[place.key], let last = writes.map(\.time).max()
            else { continue }
            orderedCount += 1
            let latest = writes.filter { $0.time >= last - orderTolerance }
            guard latest.contains(where: { $0.value.encoded == cell.encoded }) else {
                throw fail("\(place.key) is \(cell.value), the last writes were \(latest)")
            }
        }
    }

    /// Returns the writes of a field that came into the log, or nil if nobody can tell which ones.
    private func logged(
        _ writes: [DatedWrite],
        at place: Place,
        _ log: ServerLog
    ) -> [DatedWrite]? {
        let losesNothing = schedule.accidents.isDisjoint(with: [.copies, .disks, .history])
        if losesNothing && writes.allSatisfy(\.isCertain) { return writes }
        let values = writes.map(\.value.encoded)
        guard Set(values).count == values.count else { return nil }
        return writes.filter { log.values[place.key]?.contains($0.value.encoded) == true }
    }

    /// Errors of a clock below 2 s are not corrected, and a slow answer makes the server's time less
    /// certain.
    private var orderTolerance: Int64 { schedule.accidents.contains(.clocks) ? 60_000 : 0 }

    /// Whether the device can know when the write was made: its machine kept time, and met the
    /// server before it was restarted.
    private func isDated(_ write: DatedWrite) -> Bool {
        let device = devices[write.device]
        return device.clock.isRight
            || (!device.clock.hasDrifted && device.datedBoots.contains(write.boot))
    }
}
