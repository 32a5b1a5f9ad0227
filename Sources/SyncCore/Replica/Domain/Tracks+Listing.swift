/// The totals of a list of tracks.
package struct TrackSums: Hashable, Sendable {
    package var count = 0
    /// Tracks with missing chunks that no reference measures, so that the distance is unknown.
    package var partialCount = 0
    /// The total distance in metres of the tracks whose distance is known.
    package var metres = 0.0
    /// The longest of these distances, or nil if none is known.
    package var longestMetres: Double?
    /// The total time from start to finish, or nil if no track has both.
    package var milliseconds: Int64?

    package init() {}
}

/// The beginning and the totals of the list of tracks.
extension Tracks {
    /// Returns the latest or earliest tracks of a space; tracks without a start come last.
    ///
    /// Returns nil while a recording has unpacked samples, because the list does not contain them.
    package func first(in space: Identifier, limit: Int, earliestFirst: Bool) throws -> [Track]? {
        let number = try spaces.number(ofSpace: space)
        guard try !hasTails(number) else { return nil }
        let query: SQL =
            earliestFirst
            ? """
            SELECT id, name, sport, status, start, start_offset, start_zone, finish, samples,
                points, distance, missing, deleted, standing, notes, south, west, north, east,
                unmeasured
            FROM track WHERE space = \(number) AND deleted = 0 AND standing = 0
            ORDER BY start IS NULL, start, id LIMIT \(limit)
            """
            : """
            SELECT id, name, sport, status, start, start_offset, start_zone, finish, samples,
                points, distance, missing, deleted, standing, notes, south, west, north, east,
                unmeasured
            FROM track WHERE space = \(number) AND deleted = 0 AND standing = 0
            ORDER BY start DESC, id LIMIT \(limit)
            """
        return try database.all(query) { Track($0.id(0), $0.trackLine(1)) }
    }

    private func hasTails(_ space: Int64) throws -> Bool {
        try database.first("SELECT 1 FROM tail WHERE space = \(space) AND lost = 0 LIMIT 1") { _ in
            true
        }
            ?? false
    }

    /// Returns the totals of all shown tracks of a space, without unpacked samples.
    package func sums(in space: Identifier) throws -> TrackSums {
        let sums = try database.first(
            """
            SELECT count(*), count(CASE WHEN unmeasured > 0 THEN 1 END),
                total(CASE WHEN unmeasured = 0 AND points > 0 THEN distance END),
                max(CASE WHEN unmeasured = 0 AND points > 0 THEN distance END),
                count(finish - start), total(max(0, finish - start))
            FROM track WHERE space = \(spaces.number(ofSpace: space)) AND deleted = 0
                AND standing = 0
            """
        ) { row in
            var sums = TrackSums()
            sums.count = Int(row.integer(0))
            sums.partialCount = Int(row.integer(1))
            sums.metres = row.real(2)
            sums.longestMetres = row.isNull(3) ? nil : row.real(3)
            // A hostile cell may give a track any start and finish.
            sums.milliseconds =
                row.integer(4) == 0 ? nil : Int64(exactly: row.real(5).rounded()) ?? .max
            return sums
        }
        return sums ?? TrackSums()
    }

    /// Returns the number of split or joined tracks that are neither listed nor superseded.
    package func lostCount(in space: Identifier) throws -> Int {
        try database.first(
            """
            SELECT count(*) FROM track
            WHERE space = \(spaces.number(ofSpace: space)) AND deleted = 0
                AND standing NOT IN (\(Track.Standing.shown.rawValue),
                \(Track.Standing.superseded.rawValue))
            """
        ) { Int($0.integer(0)) } ?? 0
    }
}
