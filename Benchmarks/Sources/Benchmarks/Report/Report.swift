internal import FoundationEssentials

/// What a run found, as a table or as JSON.
struct Report {
    let thresholds: Thresholds
    /// Whether only some of the figures were measured.
    var isPartial = false
    var counts: [Count] = []
    var times: [Time] = []

    /// Limits without a figure.
    var missing: [String] { isPartial ? [] : thresholds.names(without: counts) }

    /// Whether every promise is kept.
    var isKept: Bool {
        counts.allSatisfy(thresholds.isKept) && missing.isEmpty
    }

    /// Two tables for a person.
    var text: String {
        var lines = [row("counts", "value", "limit", "")]
        lines += counts.map { count in
            row(
                count.name,
                count.value.map(figure) ?? "not here",
                thresholds.limit(of: count).map(figure) ?? "",
                thresholds.limit(of: count) == nil
                    ? "" : thresholds.isKept(by: count) ? "ok" : "TOO MUCH"
            )
        }
        lines += missing.map { row($0, "unknown", "", "TOO MUCH") }
        if !times.isEmpty { lines += ["", row("times (not gated)", "value", "floor", "ratio")] }
        for time in times {
            lines.append(
                row(
                    "\(time.name), \(time.unit)",
                    figure(time.value),
                    time.floor.map { figure($0.value) } ?? "",
                    time.ratio.map { "\(figure($0)) × \(time.floor?.name ?? "")" } ?? ""
                )
            )
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func row(_ name: String, _ value: String, _ limit: String, _ end: String) -> String {
        let name = name.padded(to: 62)
        return "\(name)\(value.padded(from: 12))\(limit.padded(from: 10))  \(end)"
    }

    /// Four significant digits.
    private func figure(_ value: Double) -> String {
        switch abs(value) {
        case 1000... where value == value.rounded(): "\(Int(value))"
        case 1000...: "\(Int(value.rounded()))"
        case _ where value == value.rounded(): "\(Int(value))"
        case 100...: "\((value * 10).rounded() / 10)"
        case 10...: "\((value * 100).rounded() / 100)"
        default: "\((value * 1000).rounded() / 1000)"
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }

    fileprivate func padded(from width: Int) -> String {
        String(repeating: " ", count: max(1, width - count)) + self
    }
}
