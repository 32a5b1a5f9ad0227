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

    /// Whether a count keeps what is promised: one whose input is not here does not.
    func isKept(by count: Count) -> Bool {
        guard let limit = limit(of: count) else { return true }
        return count.value.map { $0 <= limit } ?? false
    }

    /// Limits of nothing: a gate that no count comes through would never close.
    func names(without counts: [Count]) -> [String] {
        limits.keys.filter { name in !counts.contains { $0.name == name } }.sorted()
    }
}
