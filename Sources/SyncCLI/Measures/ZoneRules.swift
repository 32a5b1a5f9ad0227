internal import CZone
import SyncCore

/// UTC offsets from the system's time zone database.
enum ZoneRules {
    /// Returns a zone's offset at an instant, or nil if this machine does not know the zone.
    ///
    /// Drops seconds: no zone has had any since 1972.
    static func offset(of zone: ZoneName, at time: UnixTime) -> UTCOffset? {
        var seconds: Int32 = 0
        guard unsafe czone_offset(zone.text, time.milliseconds / 1000, &seconds) else { return nil }
        return UTCOffset(minutes: seconds / 60)
    }
}

extension TrackStart {
    /// Returns the track's UTC offset at an instant, or nil if it is unknown.
    ///
    /// Falls back to the stored offset if this machine does not know the zone.
    func offset(at time: UnixTime) -> UTCOffset? {
        zone.flatMap { ZoneRules.offset(of: $0, at: time) } ?? offset
    }

    /// The local date of the start, or the UTC date if the offset is unknown.
    ///
    /// The whole track belongs to this day.
    var day: String? { date?.iso8601 }

    var date: CivilDate? { time.writable.map { CalendarTime($0, offset: offset(at: $0)).day } }
}
