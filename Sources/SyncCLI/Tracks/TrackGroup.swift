import ProgramKit
import SyncCore

/// The key by which tracks are grouped.
///
/// Days are local to the track. Weeks are those of ISO 8601, which begin on Monday.
enum TrackGrouping: String, CaseIterable, Sendable {
    case day
    case week
    case month
    case year
    case sport

    /// Returns the group of a track: `2026-05-14`, `2026-W20`, `2026-05`, `2026` or a sport.
    ///
    /// Returns nil if the time or the sport is unknown.
    func name(of track: Track) -> String? {
        switch self {
        case .day: track.start?.day
        case .week: track.start?.date?.week
        case .month: track.start?.day.map { String($0.prefix(7)) }
        case .year: track.start?.day.map { String($0.prefix(4)) }
        case .sport: track.sport.flatMap { $0.isEmpty ? nil : $0.withoutControls.lowercased() }
        }
    }
}

/// A group of tracks with its totals.
struct TrackGroup: Sendable {
    /// The name of the group, or nil if the time or the sport is unknown.
    let name: String?
    var totals = TrackSums()

    /// Groups tracks: periods from the latest, sports from the greatest distance.
    ///
    /// The group of tracks without a known period or sport comes last.
    static func groups(of tracks: [Track], by grouping: TrackGrouping) -> [TrackGroup] {
        var groups: [String?: TrackGroup] = [:]
        for track in tracks {
            let name = grouping.name(of: track)
            groups[name, default: TrackGroup(name: name)].totals.add(track)
        }
        return groups.values.sorted { left, right in
            guard let one = left.name, let other = right.name else { return left.name != nil }
            let (metres, otherMetres) = (left.totals.metres, right.totals.metres)
            guard grouping == .sport else { return one > other }
            return metres == otherMetres ? one < other : metres > otherMetres
        }
    }
}

extension CivilDate {
    /// The ISO 8601 week, such as `2026-W20`; its year is the year of its Thursday.
    fileprivate var week: String {
        // 1970-01-01 was a Thursday.
        let weekday = ((days + 3) % 7 + 7) % 7
        let thursday = days - weekday + 3
        let year = CivilDate(days: thursday).year
        let newYear = CivilDate(year: year, month: 1, day: 1)?.days ?? thursday
        return "\(year.padded(to: 4))-W\(((thursday - newYear) / 7 + 1).padded(to: 2))"
    }
}
