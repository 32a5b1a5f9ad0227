import ProgramKit
import SyncCore

/// The track data that pictures show: positions and the readings of some channels.
///
/// Takes 32 bytes per row and 4 more per channel. Each sample with a position or reading is a row.
struct Trace: Sendable {
    /// The progress along the track at a reading.
    struct Progress: Sendable {
        /// Unix seconds, or nil if unknown or not in a year of four digits.
        let time: Double?
        /// The distance up to here; pauses add nothing.
        let metres: Double
        /// The index of the uninterrupted part of the recording, from 0.
        let part: Int32
    }

    /// A reading in the channel's unit.
    struct Reading: Sendable {
        let progress: Progress
        let value: Double
    }

    /// A channel's counts by row; empty before the first reading.
    fileprivate struct Column: Sendable {
        static let nothing = Int32.min
        let channel: Channel
        var counts: [Int32] = []
    }

    /// Unix milliseconds.
    private var times: [Int64] = []
    private var metres: [Double] = []
    private var parts: [Int32] = []
    private var places: [Coordinate?] = []
    private var columns: [Column]
    private var segment: Int64?
    private var legReader = LegReader()

    /// Stands for an unknown time.
    private static let never = Int64.min

    /// Creates an empty trace that collects the given channels.
    init(of channels: [Channel]) {
        columns = channels.map { Column(channel: $0) }
    }

    /// Appends a plausible sample (``BelievedSamples``).
    mutating func add(_ sample: Sample) {
        let place = sample.coordinate
        guard place != nil || columns.contains(where: { sample[count: $0.channel] != nil })
        else { return }
        let part = (parts.last ?? 0) + (segment == nil || segment == sample.segment ? 0 : 1)
        segment = sample.segment
        let distance = (metres.last ?? 0) + (legReader.next(sample)?.metres ?? 0)
        times.append(sample.time?.writable?.milliseconds ?? Self.never)
        metres.append(distance)
        parts.append(part)
        places.append(place)
        for index in columns.indices { columns[index].add(sample, row: times.count - 1) }
    }

    /// Returns the readings of a channel in track order.
    func readings(of channel: Channel) -> some Sequence<Reading> {
        let told = columns.first { $0.channel == channel }?.values ?? []
        let values = told.isEmpty && channel == .speed ? speeds : told
        return values.indices.lazy.filter { !values[$0].isNaN }
            .map { Reading(progress: progress($0), value: values[$0]) }
    }

    private func progress(_ row: Int) -> Progress {
        let time = times[row] == Self.never ? nil : Double(times[row]) / 1000
        return Progress(time: time, metres: metres[row], part: parts[row])
    }
}

/// Positions.
extension Trace {
    /// The positions of each part of the recording.
    var lines: [[MapPlane.Position]] {
        var lines: [[MapPlane.Position]] = []
        var part: Int32?
        for (row, place) in places.enumerated() {
            guard let place else { continue }
            if parts[row] != part { lines.append([]) }
            part = parts[row]
            lines[lines.count - 1].append(MapPlane.Position(place))
        }
        return lines
    }

    /// Returns the first position at or after an instant, or nil after the end of the track.
    func position(at time: UnixTime) -> MapPlane.Position? {
        let row = times.indices.first {
            times[$0] != Self.never && times[$0] >= time.milliseconds && places[$0] != nil
        }
        return row.flatMap { places[$0] }.map(MapPlane.Position.init)
    }
}

/// Speeds.
extension Trace {
    private static let windowSeconds = 10.0

    /// The speeds between positions by row, in metres per second.
    ///
    /// They replace missing speeds of the receiver. Each is the mean over ten seconds before and
    /// after; if positions are farther apart, the mean between the neighbours. NaN if unknown.
    private var speeds: [Double] {
        let timed = times.indices.filter { times[$0] != Self.never && places[$0] != nil }
        func seconds(_ first: Int, _ last: Int) -> Double {
            Double(times[timed[last]] - times[timed[first]]) / 1000
        }
        func isNear(_ index: Int, _ other: Int) -> Bool {
            timed.indices.contains(other) && parts[timed[other]] == parts[timed[index]]
        }
        var speeds = Array(repeating: Double.nan, count: times.count)
        var (first, last) = (0, 0)
        for index in timed.indices {
            while !isNear(index, first) || seconds(first, index) > Self.windowSeconds { first += 1 }
            last = max(last, index)
            while isNear(index, last + 1), seconds(index, last + 1) <= Self.windowSeconds {
                last += 1
            }
            let start = first == index && isNear(index, index - 1) ? index - 1 : first
            let end = last == index && isNear(index, index + 1) ? index + 1 : last
            guard seconds(start, end) > 0 else { continue }
            let distance = metres[timed[end]] - metres[timed[start]]
            speeds[timed[index]] = distance / seconds(start, end)
        }
        return speeds
    }
}

extension Trace.Column {
    /// Appends a sample's reading; counts outside `Int32` do not occur and are clamped.
    fileprivate mutating func add(_ sample: Sample, row: Int) {
        guard let count = sample[count: channel] else {
            if !counts.isEmpty { counts.append(Self.nothing) }
            return
        }
        if counts.isEmpty { counts = Array(repeating: Self.nothing, count: row) }
        counts.append(max(Int32(clamping: count), Self.nothing + 1))
    }

    /// The readings by row; NaN if there is none.
    fileprivate var values: [Double] {
        counts.map { $0 == Self.nothing ? .nan : Double($0) / channel.countsPerUnit }
    }
}

extension MapPlane.Position {
    fileprivate init(_ place: Coordinate) {
        latitude = Double(place.latitude) / Channel.latitude.countsPerUnit
        longitude = Double(place.longitude) / Channel.longitude.countsPerUnit
    }
}
