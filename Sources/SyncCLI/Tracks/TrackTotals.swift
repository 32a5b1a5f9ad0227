import SyncCore

/// What some tracks add up to.
struct TrackTotals: Sendable {
    private(set) var count = 0
    /// Metres of the tracks whose distance is known.
    private(set) var metres = 0.0
    /// From start to finish of each; nil where none is known.
    private(set) var milliseconds: Int64?
    /// The longest of the tracks whose distance is known.
    private(set) var longestMetres: Double?
    /// Tracks that are not all here, so that their distance is not known.
    private(set) var partialCount = 0

    /// What tracks add up to.
    init(_ tracks: some Sequence<Track> = []) {
        for track in tracks { add(track) }
    }

    /// Counts one more.
    mutating func add(_ track: Track) {
        count += 1
        if track.missingChunkCount > 0 { partialCount += 1 }
        if let elapsed = track.elapsedMilliseconds {
            // A hostile cell may make a track that lasts for all time.
            let sum = (milliseconds ?? 0).addingReportingOverflow(max(0, elapsed))
            milliseconds = sum.overflow ? .max : sum.partialValue
        }
        guard let known = track.knownDistanceMetres else { return }
        metres += known
        longestMetres = max(longestMetres ?? known, known)
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
            "\(partialCount.counted("track")) not all here, and not in the distance: "
                + "'wake sync' brings the rest"
        )
    }
}
