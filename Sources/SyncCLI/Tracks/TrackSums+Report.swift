import ProgramKit
import SyncCore

/// The totals of a set of tracks in the output of commands.
extension TrackSums {
    init(_ tracks: some Sequence<Track>) {
        self.init()
        for track in tracks { add(track) }
    }

    mutating func add(_ track: Track) {
        count += 1
        if track.unmeasuredChunkCount > 0 { partialCount += 1 }
        if let elapsed = track.elapsedMilliseconds {
            // A hostile cell may claim a duration that overflows the sum.
            let sum = (milliseconds ?? 0).addingReportingOverflow(max(0, elapsed))
            milliseconds = sum.overflow ? .max : sum.partialValue
        }
        guard let known = track.knownDistanceMetres else { return }
        metres += known
        longestMetres = max(longestMetres ?? known, known)
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
