/// A series of readings drawn in one line of text.
struct Sparkline: Sendable {
    private static let bars = Array("▁▂▃▄▅▆▇")

    /// Readings at equal distances; nil where there was none, which is drawn as a space.
    let values: [Double?]

    /// Draws at most `width` columns, each the mean of the readings that fall into it.
    ///
    /// The lowest mean is drawn lowest and the greatest highest; a flat series lies in the middle.
    func text(width: Int) -> String {
        let means = Self.resample(values, to: width)
        let known = means.compactMap { $0 }
        guard let low = known.min(), let high = known.max() else {
            return String(repeating: " ", count: means.count)
        }
        return String(
            means.map { mean -> Character in
                guard let mean else { return " " }
                let part = high > low ? (mean - low) / (high - low) : 0.5
                return Self.bars[Int((part * Double(Self.bars.count - 1)).rounded())]
            }
        )
    }

    private static func resample(_ values: [Double?], to width: Int) -> [Double?] {
        let count = min(max(width, 0), values.count)
        return (0..<count).map { index in
            let part = values[index * values.count / count..<(index + 1) * values.count / count]
            let known = part.compactMap { $0 }.filter(\.isFinite)
            return known.isEmpty ? nil : known.reduce(0) { $0 + $1 / Double(known.count) }
        }
    }
}
