/// One deterministic figure: the same on every machine and in every run.
struct Count: Sendable {
    /// What is counted, with its unit; the key of its limit in `thresholds.json`.
    let name: String
    /// The figure; nil where its input is not here.
    let value: Double?

    init(_ name: String, _ value: Double?) {
        self.name = name
        self.value = value
    }

    init(_ name: String, _ value: Int) {
        self.init(name, Double(value))
    }
}

/// A time, and what it is measured against in the same run.
struct Time: Sendable {
    /// What took the time.
    let name: String
    /// The figure: a rate, a time or a size, in `unit`.
    let value: Double
    let unit: String
    /// The floor of the same run in the same unit; nil where there is none.
    var floor: (name: String, value: Double)?

    /// How many times the floor the figure is.
    var ratio: Double? { floor.map { value / $0.value } }
}
