internal import CZone
import SyncCore

/// When the clocks of a time zone change: the rules of the system's database.
enum ZoneRules {
    /// What the clocks of a zone show at an instant; nil where this machine does not know the zone.
    ///
    /// Seconds are dropped: since 1972 no zone has any.
    static func offset(of zone: ZoneName, at time: UnixTime) -> UTCOffset? {
        var seconds: Int32 = 0
        guard unsafe czone_offset(zone.text, time.milliseconds / 1000, &seconds) else {
            return nil
        }
        return UTCOffset(minutes: seconds / 60)
    }
}

extension TrackStart {
    /// What the clocks of the track showed at an instant; nil where nobody knows.
    ///
    /// A zone that this machine does not know, because a newer one wrote it, leaves the offset.
    func offset(at time: UnixTime) -> UTCOffset? {
        zone.flatMap { ZoneRules.offset(of: $0, at: time) } ?? offset
    }

    /// The day on the clocks there, to which the whole track belongs; in UTC where nobody knows.
    var day: String? { date?.iso8601 }

    /// The same as a date.
    var date: CivilDate? { time.writable.map { CalendarTime($0, offset: offset(at: $0)).day } }
}
