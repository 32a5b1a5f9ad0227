import SyncCore

/// The sort order of a track list.
enum TrackOrder: String, CaseIterable, Sendable {
    /// Latest first.
    case date
    /// Longest first.
    case distance
    case duration
    /// Alphabetical.
    case name

    /// Sorts tracks stably; tracks with an unknown key come last in either direction.
    func sorted(_ tracks: [Track], isReversed: Bool) -> [Track] {
        switch self {
        case .date:
            Self.sorted(tracks, isAscending: isReversed) { $0.start?.time.milliseconds }
        case .distance: Self.sorted(tracks, isAscending: isReversed) { $0.knownDistanceMetres }
        case .duration: Self.sorted(tracks, isAscending: isReversed) { $0.elapsedMilliseconds }
        case .name:
            Self.sorted(tracks, isAscending: !isReversed) { track in
                track.name.flatMap { $0.isEmpty ? nil : $0.lowercased() }
            }
        }
    }

    private static func sorted(
        _ tracks: [Track],
        isAscending: Bool,
        by key: (Track) -> (some Comparable)?
    ) -> [Track] {
        let keyed = tracks.enumerated().map { (place: $0, key: key($1), track: $1) }
        return keyed.sorted { left, right in
            guard let one = left.key, let other = right.key, one != other else {
                let isOnlyLeftKnown = left.key != nil && right.key == nil
                let isOnlyRightKnown = left.key == nil && right.key != nil
                return isOnlyLeftKnown || !isOnlyRightKnown && left.place < right.place
            }
            return isAscending ? one < other : one > other
        }.map(\.track)
    }
}
