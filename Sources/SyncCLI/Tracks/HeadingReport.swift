import ProgramKit
import SyncCore

/// Where a track headed on the whole, and how far the compass was off.
struct HeadingReport: Sendable {
    /// At the first place where it is known.
    private(set) var variation: Variation?
    private var compass: Compass
    private var sums: [North: ChannelStatistics] = [:]
    /// What the first heading that is from another north was turned by.
    private var turned: Variation?

    /// Of no sample yet; headings are told from `north`.
    init(from north: North) {
        compass = Compass(north)
    }

    /// Goes on to a sample.
    mutating func add(_ sample: Sample) {
        let heading = compass.add(sample)
        if variation == nil, sample.isPoint || heading != nil { variation = compass.variation() }
        guard let heading else { return }
        turned = turned ?? heading.variation
        sums[heading.north, default: ChannelStatistics(channel: .headingTrue)]
            .add(heading.degrees)
    }

    /// The mean; nil where there is none, or it points everywhere alike.
    var mean: Heading? {
        // Where some could not be turned, the two are not thrown together.
        guard sums.count == 1, let (north, sum) = sums.first else { return nil }
        return sum.mean.map { Heading($0, north, turned) }
    }

    /// `1.3° east, by the data`; nil where no heading asks for it.
    var variationWords: String? {
        guard !sums.isEmpty else { return nil }
        guard let variation else { return "unknown" }
        return "\(abs(variation.degrees).fixed(1))° \(variation.degrees < 0 ? "west" : "east"), "
            + variation.words
    }

    /// The mean heading; nil where there is none.
    func words(_ preferences: Preferences) -> String? {
        mean.map { heading in
            let source = heading.variation.map { " (converted \($0.words))" } ?? ""
            return "\(preferences.text(heading)) on average" + source
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
        source == .data ? "from the data" : "from the World Magnetic Model"
    }
}
