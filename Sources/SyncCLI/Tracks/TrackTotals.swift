import ProgramKit
import SyncCore

/// What some tracks add up to.
struct TrackTotals: Sendable {
    private var sums = TrackSums()

    var count: Int { sums.count }
    /// Metres of the tracks whose distance is known.
    var metres: Double { sums.metres }
    /// From start to finish of each; nil where none is known.
    var milliseconds: Int64? { sums.milliseconds }
    /// The longest of the tracks whose distance is known.
    var longestMetres: Double? { sums.longestMetres }
    /// Tracks that are not all here, so that their distance is not known.
    var partialCount: Int { sums.partialCount }

    /// What tracks add up to.
    init(_ tracks: some Sequence<Track> = []) {
        for track in tracks { add(track) }
    }

    /// What was added up already.
    init(_ sums: TrackSums) {
        self.sums = sums
    }

    /// Counts one more.
    mutating func add(_ track: Track) {
        sums.count += 1
        if track.missingChunkCount > 0 { sums.partialCount += 1 }
        if let elapsed = track.elapsedMilliseconds {
            // A hostile cell may make a track that lasts for all time.
            let sum = (sums.milliseconds ?? 0).addingReportingOverflow(max(0, elapsed))
            sums.milliseconds = sum.overflow ? .max : sum.partialValue
        }
        guard let known = track.knownDistanceMetres else { return }
        sums.metres += known
        sums.longestMetres = max(sums.longestMetres ?? known, known)
    }

    /// Distance and time in words.
    func words(_ preferences: Preferences) -> String {
        "\(count.counted("track")), \(preferences.distance(metres)), \(elapsed)"
    }

    /// The time in words.
    var elapsed: String { milliseconds.map(Elapsed.text) ?? "–" }

    /// The same for programs.
    var members: [(String, JSON)] {
        [
            ("count", .integer(count)),
            ("distance", .number(metres, decimals: 1)),
            ("elapsedMilliseconds", milliseconds.map { .integer($0) } ?? .null),
            ("longest", .number(longestMetres, decimals: 1)),
            ("partial", .integer(partialCount)),
        ]
    }

    /// Tells where the distance is not all of it.
    func note(on output: Output) {
        guard partialCount > 0 else { return }
        output.note(
            "\(partialCount.counted("incomplete track")) not counted in the distance: "
                + "'wake sync' fetches the rest"
        )
    }
}
