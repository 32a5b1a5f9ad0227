import SyncCore

/// Pictures of a track in text.
struct TrackDrawing: Sendable {
    let samples: [Sample]
    let preferences: Preferences

    /// Sparklines of a channel over the track's time; nil where there is none.
    func sparkline(of channel: Channel, width: Int) -> String? {
        let values = series(of: channel, count: width)
        guard values.contains(where: { $0 != nil }) else { return nil }
        return Sparkline(values: values).text(width: width)
    }

    /// Means of a channel over equal parts of the time, or of the samples where they have none.
    private func series(of channel: Channel, count: Int) -> [Double?] {
        let times = samples.compactMap { $0.time?.milliseconds }
        let isTimed = times.count == samples.count
        let first = isTimed ? times.min() ?? 0 : 0
        let last = isTimed ? times.max() ?? 0 : Int64(samples.count - 1)
        let parts = max(1, min(count, samples.count))
        let length = Double(max(last - first, 1))
        var sums = [(sum: Double, count: Int)](repeating: (0, 0), count: parts)
        for (index, sample) in samples.enumerated() {
            guard let value = sample[channel] else { continue }
            let place = isTimed ? (sample.time?.milliseconds ?? first) - first : Int64(index)
            let part = min(parts - 1, Int(Double(place) / length * Double(parts)))
            sums[part].sum += value
            sums[part].count += 1
        }
        return sums.map { $0.count > 0 ? $0.sum / Double($0.count) : nil }
    }

    /// The way on a map; empty without points.
    func map(columns: Int, rows: Int) -> String {
        var lines: [[BrailleMap.Position]] = []
        var segment: Int64?
        for sample in samples {
            guard let latitude = sample[.latitude], let longitude = sample[.longitude],
                sample.isPoint
            else { continue }
            let next = sample[count: .segment] ?? 0
            if next != segment { lines.append([]) }
            segment = next
            let position = BrailleMap.Position(latitude: latitude, longitude: longitude)
            lines[lines.count - 1].append(position)
        }
        return BrailleMap(lines: lines, unit: preferences.distance)
            .text(columns: columns, rows: rows)
    }
}
