import ProgramKit
import SyncCore

/// The mean heading of a track and its magnetic variation.
struct HeadingReport: Sendable {
    /// The variation at the first position where it is known.
    private(set) var variation: Variation?
    private var compass: Compass
    private var sums: [North: ChannelStatistics] = [:]
    /// The variation applied to the first heading that was converted to another north.
    private var turned: Variation?

    /// Creates an empty report of headings relative to `north`.
    init(from north: North) { compass = Compass(north) }

    /// Adds the heading of a sample.
    mutating func add(_ sample: Sample) {
        let heading = compass.add(sample)
        if variation == nil, sample.isPoint || heading != nil { variation = compass.variation() }
        guard let heading else { return }
        turned = turned ?? heading.variation
        sums[heading.north, default: ChannelStatistics(channel: .headingTrue)]
            .add(heading.degrees)
    }

    /// The mean heading; nil if there is none or the headings cancel out.
    var mean: Heading? {
        // Headings relative to different norths must not be averaged.
        guard sums.count == 1, let (north, sum) = sums.first else { return nil }
        return sum.mean.map { Heading($0, north, turned) }
    }

    /// The variation as text, such as `1.3° east, by the data`; nil if the track has no headings.
    var variationWords: String? {
        guard !sums.isEmpty else { return nil }
        guard let variation else { return "unknown" }
        return "\(abs(variation.degrees).fixed(1))° \(variation.degrees < 0 ? "west" : "east"), "
            + variation.words
    }

    /// Returns the mean heading as text, or nil if there is none.
    func words(_ preferences: Preferences) -> String? {
        mean.map { heading in
            let source = heading.variation.map { " (converted \($0.words))" } ?? ""
            return "\(preferences.text(heading)) on average" + source
        }
    }

    /// The variation in degrees, positive to the east.
    var variationJSON: JSON {
        guard let variation else { return .null }
        return .object([
            ("degrees", .number(variation.degrees, decimals: 1)),
            ("source", .text(variation.source.rawValue)),
        ])
    }

    var json: JSON {
        guard let mean else { return .null }
        return .object([
            ("degrees", .number(mean.degrees, decimals: 1)),
            ("north", .text(mean.north == .geographic ? "true" : "magnetic")),
        ])
    }
}

extension Variation {
    fileprivate var words: String {
        source == .data ? "from the data" : "from the World Magnetic Model"
    }
}
