/// A period of one boot in which nobody set the wall clock.
struct ClockPeriod: Equatable {
    /// The boot.
    let boot: Identifier
    /// The wall clock minus the uptime, in milliseconds.
    let start: Int64
    /// The true time in this boot, or nil if no server told it.
    let anchor: ClockAnchor?

    /// The true time minus the wall clock, in milliseconds, or 0 for an error that is not corrected;
    /// nil if no true time is known.
    var correction: Int64? {
        guard let anchor else { return nil }
        let offset = anchor.bootMilliseconds &- start
        return offset.magnitude > anchor.toleranceMilliseconds ? offset : 0
    }
}

extension ClockAnchor {
    /// Smaller errors of the wall clock are not corrected.
    package var toleranceMilliseconds: UInt64 { 2000 + UInt64(max(uncertaintyMilliseconds, 0)) }
}

/// The periods in which unsealed changes were written: the table `clock_period`.
///
/// Each change is corrected by the error that the clock had when it was written, even if the clock
/// was set since or the machine was restarted.
package struct ClockPeriods: ReplicaPart {
    package let context: ReplicaContext

    /// The number that stands for no period, because only the stamp of a change is left.
    static let unknown: Int64 = 0
    /// How far the clock may move within a period, in milliseconds, because NTP slews it.
    private static let slew: UInt64 = 500

    /// Stores the true time of this boot.
    ///
    /// Sealing then corrects what a wrong clock stamped.
    package func learn(_ anchor: ClockAnchor) throws {
        try identity.setAnchor(anchor)
        for (number, period) in try all() where period.boot == anchor.boot {
            let known = ClockPeriod(boot: period.boot, start: period.start, anchor: anchor)
            try put(known, as: number)
        }
    }

    /// Returns the number of the period of a moment, and adds the period if it is new.
    func number(of moment: Moment) throws -> Int64 {
        let start = moment.wall.milliseconds &- moment.uptimeMilliseconds
        let known = try all().first {
            $1.boot == moment.boot && ($1.start &- start).magnitude <= Self.slew
        }
        if let known { return known.key }
        try removeUnused()
        let last = try database.first("SELECT max(number) FROM clock_period") { $0.integer(0) }
        let anchor = try identity.current().anchor
        let period = ClockPeriod(
            boot: moment.boot,
            start: start,
            anchor: anchor?.boot == moment.boot ? anchor : nil
        )
        let number = (last ?? Self.unknown) + 1
        try put(period, as: number)
        return number
    }

    /// Removes the periods that no unsealed change names.
    private func removeUnused() throws {
        try database.run(
            "DELETE FROM clock_period WHERE number NOT IN (SELECT period FROM unsealed)"
        )
    }

    /// Returns the periods by number, without damaged ones.
    func all() throws -> [Int64: ClockPeriod] {
        var periods: [Int64: ClockPeriod] = [:]
        try database.each(
            "SELECT number, boot, start, anchor, uncertainty, sum FROM clock_period"
        ) { row in
            let anchor = ClockAnchor(
                bootMilliseconds: row.integer(3),
                boot: row.id(1),
                uncertaintyMilliseconds: row.integer(4)
            )
            let period = ClockPeriod(
                boot: row.id(1),
                start: row.integer(2),
                anchor: row.isNull(3) ? nil : anchor
            )
            guard period.sum(as: row.integer(0)) == row.integer(5) else { return }
            periods[row.integer(0)] = period
        }
        return periods
    }

    private func put(_ period: ClockPeriod, as number: Int64) throws {
        try database.run(
            """
            INSERT OR REPLACE INTO clock_period (number, boot, start, anchor, uncertainty, sum)
            VALUES (\(number), \(period.boot), \(period.start), \(period.anchor?.bootMilliseconds),
                \(period.anchor?.uncertaintyMilliseconds), \(period.sum(as: number)))
            """
        )
    }
}

extension UnsealedChange {
    /// Whether nobody knows if the clock was right when the change was written.
    func isUnchecked(in periods: [Int64: ClockPeriod]) -> Bool {
        !isReissued && !change.cell.stamp.isTimeless && periods[period]?.anchor == nil
    }
}

extension ClockPeriod {
    /// The sum of the period's row in the table, over all that the row says.
    fileprivate func sum(as number: Int64) -> Int64 {
        let known = anchor.map { [$0.bootMilliseconds, $0.uncertaintyMilliseconds] } ?? []
        let bytes =
            boot.bytes
            + ([number, start] + known).flatMap {
                UInt64(bitPattern: $0).bigEndianBytes
            }
        return Int64(Checksum.of(bytes))
    }
}
