/// How much a track tells: which channels, and how many points.
package struct Richness: Hashable, Sendable {
    private var channels: Set<Channel> = []
    private var pointCount = 0

    /// Nothing yet.
    package init() {}

    /// How much samples tell.
    package init(of samples: some Sequence<Sample>) {
        for sample in samples { add(sample) }
    }

    /// Goes on to a sample.
    package mutating func add(_ sample: Sample) {
        if sample.isPoint { pointCount += 1 }
        // The number of a part is no reading.
        for reading in sample.readings where reading.channel != .segment {
            channels.insert(reading.channel)
        }
    }

    /// Whether nothing is lost with the other: all its channels are here, and as many points.
    package func covers(_ other: Richness) -> Bool {
        pointCount >= other.pointCount && channels.isSuperset(of: other.channels)
    }
}
