import ProgramKit
import SyncCore

/// The totals of a set of tracks.
struct TrackTotals: Sendable {
    private var sums = TrackSums()

    var count: Int { sums.count }
    /// The sum of the known distances.
    var metres: Double { sums.metres }
    /// The sum of the elapsed times from start to finish, or nil if none is known.
    var milliseconds: Int64? { sums.milliseconds }
    /// The longest known distance.
    var longestMetres: Double? { sums.longestMetres }
    /// The number of tracks with missing chunks, whose distance is unknown.
    var partialCount: Int { sums.partialCount }

    init(_ tracks: some Sequence<Track> = []) {
        for track in tracks { add(track) }
    }

    init(_ sums: TrackSums) {
        self.sums = sums
    }

    mutating func add(_ track: Track) {
        sums.count += 1
        if track.missingChunkCount > 0 { sums.partialCount += 1 }
        if let elapsed = track.elapsedMilliseconds {
            // A hostile cell may claim a duration that overflows the sum.
            let sum = (sums.milliseconds ?? 0).addingReportingOverflow(max(0, elapsed))
            sums.milliseconds = sum.overflow ? .max : sum.partialValue
        }
        guard let known = track.knownDistanceMetres else { return }
        sums.metres += known
        sums.longestMetres = max(sums.longestMetres ?? known, known)
    }

    /// Returns count, distance and time as text.
    func words(_ preferences: Preferences) -> String {
        "\(count.counted("track")), \(preferences.distance(metres)), \(elapsed)"
    }

    /// The time as text.
    var elapsed: String { milliseconds.map(Elapsed.text) ?? "–" }

    var members: [(String, JSON)] {
        [
            ("count", .integer(count)),
            ("distance", .number(metres, decimals: 1)),
            ("elapsedMilliseconds", milliseconds.map { .integer($0) } ?? .null),
            ("longest", .number(longestMetres, decimals: 1)),
            ("partial", .integer(partialCount)),
        ]
    }

    /// Prints a note if tracks are missing from the distance.
    func note(on output: Output) {
        guard partialCount > 0 else { return }
        output.note(
            "\(partialCount.counted("incomplete track")) not counted in the distance: "
                + "'wake sync' fetches the rest"
        )
    }
}
