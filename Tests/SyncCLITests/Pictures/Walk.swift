@testable import SyncCore

@testable import SyncCLI

/// Made-up samples for pictures: one a second, northward at 3 m/s, unless told otherwise.
enum Walk {
    /// 2026-05-01T09:30:00Z.
    static let start: Int64 = 1_777_627_800_000

    static func samples(
        _ count: Int,
        everySeconds: Int64 = 1,
        _ change: (Int, inout Sample) -> Void = { _, _ in }
    ) -> [Sample] {
        (0..<count).map { index in
            let time = start + Int64(index) * everySeconds * 1000
            var sample = Sample(time: UnixTime(milliseconds: time))
            sample[.latitude] = 52 + Double(Int64(index) * everySeconds) * 3 / 111_270
            sample[.longitude] = 5
            change(index, &sample)
            return sample
        }
    }

    /// A track of a kilometre.
    static func track(
        name: String? = nil,
        sport: String? = nil,
        notes: String? = nil,
        start: UnixTime? = nil,
        offsetMinutes: Int? = nil,
        seconds: Int64? = 60,
        metres: Double = 1000,
        box: ChunkSummary.Box? = nil,
        missing: Int = 0
    ) -> Track {
        Track(
            id: .zero,
            name: name,
            sport: sport,
            notes: notes,
            status: .stopped,
            start: start.map {
                TrackStart($0, offset: offsetMinutes.flatMap { UTCOffset(minutes: $0) })
            },
            finish: start.flatMap { start in
                seconds.map { UnixTime(milliseconds: start.milliseconds &+ $0 * 1000) }
            },
            sampleCount: 60,
            pointCount: 60,
            distanceMetres: metres,
            box: box,
            missingChunkCount: missing,
            unmeasuredChunkCount: missing,
            isDeleted: false,
            standing: .shown
        )
    }

    /// What pictures need to know of samples.
    static func trace(_ samples: [Sample], sport: String? = nil) -> Trace {
        var trace = Trace(of: Quantity.all(of: sport).map(\.channel))
        for sample in samples { trace.add(sample) }
        return trace
    }

    /// What is drawn of samples.
    static func picture(
        _ samples: [Sample],
        sport: String? = nil,
        marks: [Mark] = [],
        against abscissa: Abscissa? = nil,
        _ preferences: Preferences = Preferences()
    ) -> TrackPicture {
        TrackPicture(
            of: track(name: "Walk", sport: sport, start: UnixTime(milliseconds: start)),
            trace(samples, sport: sport),
            marks: marks,
            against: abscissa,
            preferences
        )
    }
}
