internal import FoundationEssentials

/// The promised limits of counts, by name.
struct Thresholds: Sendable {
    private let limits: [String: Double]

    /// Reads `thresholds.json`.
    init(path: String) throws {
        let file = try Data(contentsOf: URL(filePath: path))
        limits = try JSONDecoder().decode([String: Double].self, from: file)
    }

    /// The most that a count may be, nil where nothing is promised.
    func limit(of count: Count) -> Double? { limits[count.name] }

    /// Whether a count keeps what is promised; what is not here cannot break it.
    func isKept(by count: Count) -> Bool {
        guard let limit = limit(of: count), let value = count.value else { return true }
        return value <= limit
    }

    /// Limits of nothing: a gate that no count comes through would never close.
    func names(without counts: [Count]) -> [String] {
        limits.keys.filter { name in !counts.contains { $0.name == name } }.sorted()
    }
}
