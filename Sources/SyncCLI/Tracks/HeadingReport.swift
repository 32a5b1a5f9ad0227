import SyncCore

/// Where a track headed on the whole, and how far the compass was off.
struct HeadingReport: Sendable {
    /// At the first place where it is known.
    let variation: Variation?
    /// The mean; nil where there is none, or it points everywhere alike.
    let mean: Heading?
    private let hasHeadings: Bool

    /// Goes through the samples of a track.
    init(of samples: [Sample], from north: North) {
        var compass = Compass(north)
        var first: Variation?
        var sums: [North: ChannelStatistics] = [:]
        var turned: Variation?
        for sample in samples {
            let heading = compass.add(sample)
            if first == nil, sample.isPoint || heading != nil { first = compass.variation() }
            guard let heading else { continue }
            turned = turned ?? heading.variation
            sums[heading.north, default: ChannelStatistics(channel: .headingTrue)]
                .add(heading.degrees)
        }
        variation = first
        hasHeadings = !sums.isEmpty
        // Where some could not be turned, the two are not thrown together.
        let only = sums.count == 1 ? sums.first : nil
        mean = only.flatMap { north, sum in
            sum.mean.map { Heading($0, north, turned) }
        }
    }

    /// `1.3° east, by the data`; nil where no heading asks for it.
    var variationWords: String? {
        guard hasHeadings else { return nil }
        guard let variation else { return "not known" }
        return "\(abs(variation.degrees).fixed(1))° \(variation.degrees < 0 ? "west" : "east"), "
            + variation.words
    }

    /// The mean heading; nil where there is none.
    func words(_ preferences: Preferences) -> String? {
        mean.map { heading in
            let source = heading.variation.map { " (turned \($0.words))" } ?? ""
            return "\(preferences.text(heading)) on the whole" + source
        }
    }

    /// East positive.
    var variationJSON: JSON {
        guard let variation else { return .null }
        return .object([
            ("degrees", .number(variation.degrees, decimals: 1)),
            ("source", .text(variation.source.rawValue)),
        ])
    }

    /// The mean heading.
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
        source == .data ? "by the data" : "by the World Magnetic Model"
    }
}
