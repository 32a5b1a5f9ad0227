import ProgramKit
import SyncCore

/// What tracks are counted by.
///
/// Days are those of the clocks where a track was, weeks those of ISO 8601, which begin on Monday.
enum TrackGrouping: String, CaseIterable, Sendable {
    case day
    case week
    case month
    case year
    case sport

    /// What a track belongs to: `2026-05-14`, `2026-W20`, `2026-05`, `2026`, or a sport; nil where
    /// nobody knows.
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

/// Some tracks, and what they add up to.
struct TrackGroup: Sendable {
    /// What they have in common; nil where nobody knows.
    let name: String?
    var totals = TrackTotals()

    /// Groups of tracks: the latest period first, or the sport that went farthest; those of which
    /// nobody knows come last.
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
    /// The week of ISO 8601, which is of the year that its Thursday is in: `2026-W20`.
    fileprivate var week: String {
        // 1970-01-01 was a Thursday.
        let weekday = ((days + 3) % 7 + 7) % 7
        let thursday = days - weekday + 3
        let year = CivilDate(days: thursday).year
        let newYear = CivilDate(year: year, month: 1, day: 1)?.days ?? thursday
        return "\(year.padded(to: 4))-W\(((thursday - newYear) / 7 + 1).padded(to: 2))"
    }
}
