import SyncCore

/// What pictures show of a track: where it went, and what was read along the way.
struct Trace: Sendable {
    /// How far a track was when something was read.
    struct Progress: Sendable {
        /// Unix seconds; nil where they are not known, or of no year that four digits can write.
        let time: Double?
        /// Metres along the points before; a pause adds none.
        let metres: Double
        /// Which part of the recording it is.
        let segment: Int64
    }

    /// One reading, in the channel's unit.
    struct Reading: Sendable {
        let progress: Progress
        let value: Double
    }

    /// The places of each part of the recording.
    private(set) var lines: [[MapPlane.Position]] = []
    /// How far the track was at each place.
    private var fixes: [Progress] = []
    private let channels: [Channel]
    /// What was read of each of the channels.
    private var readings: [[Reading]]
    private var last: Coordinate?
    private var metres = 0.0

    /// Takes what is told of some channels from samples in their order.
    ///
    /// `samples` are those that are believed (``FixFlags``).
    init(_ samples: some Sequence<Sample>, of channels: [Channel]) {
        self.channels = channels
        readings = Array(repeating: [], count: channels.count)
        for sample in samples { add(sample) }
    }

    private mutating func add(_ sample: Sample) {
        let segment = sample[count: .segment] ?? 0
        let place = sample.coordinate
        if let place { go(to: place, in: segment) }
        let progress = Progress(
            time: sample.time?.writable.map { Double($0.milliseconds) / 1000 },
            metres: metres,
            segment: segment
        )
        if place != nil { fixes.append(progress) }
        for reading in sample.readings {
            guard let index = channels.firstIndex(of: reading.channel) else { continue }
            let value = Double(reading.count) / reading.channel.countsPerUnit
            readings[index].append(Reading(progress: progress, value: value))
        }
    }

    private mutating func go(to place: Coordinate, in segment: Int64) {
        if fixes.last?.segment != segment {
            last = nil
            lines.append([])
        }
        metres += last?.metres(to: place) ?? 0
        last = place
        lines[lines.count - 1].append(
            MapPlane.Position(
                latitude: Double(place.latitude) / Channel.latitude.countsPerUnit,
                longitude: Double(place.longitude) / Channel.longitude.countsPerUnit
            )
        )
    }

    /// The readings of a channel, in the order of the track.
    func readings(of channel: Channel) -> [Reading] {
        let index = channels.firstIndex(of: channel)
        let told = index.map { readings[$0] } ?? []
        return told.isEmpty && channel == .speed ? speeds : told
    }

    /// Where the track was at an instant: its first place from then on; nil after its end.
    func position(at time: UnixTime) -> MapPlane.Position? {
        let seconds = Double(time.milliseconds) / 1000
        let index = fixes.firstIndex { $0.time.map { $0 >= seconds } ?? false }
        return index.map { lines.joined().dropFirst($0) }?.first
    }

    private static let windowSeconds = 10.0

    /// Speeds from place to place in metres a second, where the receiver told none: those over ten
    /// seconds before and after, or between the neighbours where they are farther apart.
    private var speeds: [Reading] {
        let timed = fixes.filter { $0.time != nil }
        func seconds(_ first: Int, _ last: Int) -> Double {
            (timed[last].time ?? 0) - (timed[first].time ?? 0)
        }
        func isNear(_ index: Int, _ other: Int) -> Bool {
            timed.indices.contains(other) && timed[other].segment == timed[index].segment
        }
        var (first, last) = (0, 0)
        return timed.indices.compactMap { index in
            while !isNear(index, first) || seconds(first, index) > Self.windowSeconds { first += 1 }
            last = max(last, index)
            while isNear(index, last + 1), seconds(index, last + 1) <= Self.windowSeconds {
                last += 1
            }
            let start = first == index && isNear(index, index - 1) ? index - 1 : first
            let end = last == index && isNear(index, index + 1) ? index + 1 : last
            guard seconds(start, end) > 0 else { return nil }
            let speed = (timed[end].metres - timed[start].metres) / seconds(start, end)
            return Reading(progress: timed[index], value: speed)
        }
    }
}
