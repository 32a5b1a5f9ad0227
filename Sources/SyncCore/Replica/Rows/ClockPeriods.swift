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

extension ClockPeriod {
    /// The period of a moment, with the anchor if it is one of the same boot.
    init(of moment: Moment, _ anchor: ClockAnchor?) {
        self.init(
            boot: moment.boot,
            start: moment.wall.milliseconds &- moment.uptimeMilliseconds,
            anchor: anchor?.boot == moment.boot ? anchor : nil
        )
    }

    /// Whether the wall clock was not set between two periods of one boot.
    fileprivate func continues(_ other: ClockPeriod) -> Bool {
        boot == other.boot && (start &- other.start).magnitude <= Self.slew
    }

    /// How far NTP may slew the clock within a period, in milliseconds.
    private static let slew: UInt64 = 500
}

/// The periods in which unsealed changes were written: the column `clock_periods` of `self`.
///
/// Each change is corrected by the error that the clock had when it was written, even if the clock
/// was set since or the machine was restarted.
package struct ClockPeriods: ReplicaPart {
    package let context: ReplicaContext

    /// The number that stands for no period, because only the stamp of a change is left.
    static let unknown: Int64 = 0

    /// Stores the true time of this boot.
    ///
    /// Sealing then corrects what a wrong clock stamped.
    package func learn(_ anchor: ClockAnchor) throws {
        try identity.setAnchor(anchor)
        let periods = try all()
        let updated = periods.mapValues {
            $0.boot == anchor.boot
                ? ClockPeriod(boot: $0.boot, start: $0.start, anchor: anchor) : $0
        }
        if updated != periods { try identity.setClockPeriods(ClockPeriod.pack(updated)) }
    }

    /// Returns the number of the period of a moment, and adds the period if it is new.
    ///
    /// - Parameter packed: what ``LocalIdentity/loadClocks()`` returns.
    func number(of moment: Moment, in packed: [UInt8]) throws -> Int64 {
        let periods = ClockPeriod.unpack(packed)
        let present = ClockPeriod(of: moment, nil)
        if let known = periods.first(where: { present.continues($1) }) { return known.key }
        let used = Set(
            try database.all("SELECT DISTINCT reissued FROM unsealed") {
                Unsent.State(rawValue: $0.integer(0))?.period ?? Self.unknown
            }
        )
        let kept = periods.filter { used.contains($0.key) }
        let period = ClockPeriod(of: moment, try identity.current().anchor)
        // A damaged period is not among the periods, but its number is used.
        let number = ((Self.unknown + 1)...).first { !used.contains($0) } ?? Self.unknown
        try identity.setClockPeriods(ClockPeriod.pack(kept.merging([number: period]) { $1 }))
        return number
    }

    /// Returns the periods by number; none if they are damaged.
    func all() throws -> [Int64: ClockPeriod] {
        ClockPeriod.unpack(try identity.loadClocks().periods)
    }
}

extension UnsealedChange {
    /// Whether no server told if the clock was right when the change was written.
    func isUnchecked(in periods: [Int64: ClockPeriod]) -> Bool {
        !isReissued && !change.cell.stamp.isTimeless
            && periods[state.period ?? ClockPeriods.unknown]?.anchor == nil
    }
}

/// A packed period has 49 bytes: number, boot, start, 1 if there is an anchor, and the anchor's two
/// numbers. A sum of all bytes follows the last period.
extension ClockPeriod {
    private static let byteCount = 49

    fileprivate static func pack(_ periods: [Int64: ClockPeriod]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (number, period) in periods.sorted(by: { $0.key < $1.key }) {
            let anchor = period.anchor
            bytes += UInt64(bitPattern: number).bigEndianBytes + period.boot.bytes
            bytes += UInt64(bitPattern: period.start).bigEndianBytes + [anchor == nil ? 0 : 1]
            for value in [anchor?.bootMilliseconds, anchor?.uncertaintyMilliseconds] {
                bytes += UInt64(bitPattern: value ?? 0).bigEndianBytes
            }
        }
        bytes.appendSum()
        return bytes
    }

    fileprivate static func unpack(_ bytes: [UInt8]) -> [Int64: ClockPeriod] {
        guard let end = bytes.endBeforeSum, end % byteCount == 0 else { return [:] }
        var periods: [Int64: ClockPeriod] = [:]
        for first in stride(from: 0, to: end, by: byteCount) {
            func number(_ place: Int) -> Int64 {
                Int64(bitPattern: UInt64(bigEndian: bytes[(first + place)..<(first + place + 8)]))
            }
            let boot = Identifier(bytes: bytes[(first + 8)..<(first + 24)]) ?? .zero
            let anchor = ClockAnchor(
                bootMilliseconds: number(33),
                boot: boot,
                uncertaintyMilliseconds: number(41)
            )
            let isKnown = bytes[first + 32] == 1
            let period = ClockPeriod(boot: boot, start: number(24), anchor: isKnown ? anchor : nil)
            periods[number(0)] = period
        }
        return periods
    }
}
