internal import SyncCore

/// A number that the server counts or measures.
///
/// Declared beside the code that counts it, as a static constant in an extension.
struct Metric: Hashable, Sendable {
    /// The Prometheus metric type.
    enum Kind: Hashable, Sendable {
        /// Only grows; the name ends in `_total`.
        case counter
        /// Goes up and down.
        case gauge
        /// Counts values in buckets with these upper bounds, in ascending order.
        case histogram([Double])
    }

    let name: String
    let kind: Kind
    let help: String

    /// Creates a metric; names are `wake_…` with the unit last.
    init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    static let requests = Metric("wake_http_requests_total", .counter, "Requests answered.")
    static let bytesIn = Metric("wake_http_in_bytes_total", .counter, "Bytes of request bodies.")
    static let bytesOut = Metric("wake_http_out_bytes_total", .counter, "Bytes of response bodies.")
    static let cuts = Metric(
        "wake_http_cuts_total",
        .counter,
        "Connections closed without a response."
    )
    static let connections = Metric("wake_http_connections", .gauge, "Open connections.")
    static let latency = Metric(
        "wake_http_request_seconds",
        .histogram([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]),
        "Time from request to response."
    )
}

/// The server's metrics, exposed in the text format of Prometheus.
///
/// Label values come from tables in the code and never contain an id.
final class Metrics: Sendable {
    private typealias Labels = [String: String]

    private struct Series: Sendable {
        /// The value of a counter or gauge, or the sum of a histogram.
        var value = 0.0
        /// The count of each bucket, not cumulative; the last one has no upper bound.
        var buckets: [Int] = []
    }

    private let series = Locked<[Metric: [Labels: Series]]>([:])

    func increase(_ metric: Metric, by amount: Int = 1, _ labels: [String: String] = [:]) {
        change(metric, labels) { $0.value += Double(amount) }
    }

    func set(_ value: Double, of metric: Metric, _ labels: [String: String] = [:]) {
        change(metric, labels) { $0.value = value }
    }

    func observe(_ value: Double, in metric: Metric, _ labels: [String: String] = [:]) {
        guard case .histogram(let bounds) = metric.kind else {
            preconditionFailure("\(metric.name) is not a histogram")
        }
        change(metric, labels) { series in
            if series.buckets.isEmpty { series.buckets = bounds.map { _ in 0 } + [0] }
            series.buckets[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
            series.value += value
        }
    }

    func callAsFunction(_ record: RequestRecord) {
        increase(.requests, ["route": record.route, "status": String(record.status)])
        increase(.bytesIn, by: record.bytesIn)
        increase(.bytesOut, by: record.bytesOut)
        observe(record.duration.seconds, in: .latency, ["route": record.route])
    }

    private func change(_ metric: Metric, _ labels: Labels, _ body: (inout Series) -> Void) {
        series.withLock { body(&$0[metric, default: [:]][labels, default: Series()]) }
    }
}

extension Metrics {
    /// All metrics, sorted by name and labels (text format 0.0.4).
    var exposition: String {
        let all = series.withLock { $0 }
        return all.sorted { $0.key.name < $1.key.name }
            .map { Self.lines(of: $0.key, $0.value) }
            .joined()
    }

    private static func lines(of metric: Metric, _ series: [Labels: Series]) -> String {
        let head = "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(type(metric))\n"
        return series.map { (labels: sorted($0.key), series: $0.value) }
            .sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
            .reduce(into: head) { $0 += lines(of: metric, $1.labels, $1.series) }
    }

    private static func type(_ metric: Metric) -> String {
        switch metric.kind {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }

    /// Returns sorted `name="value"` pairs; the format escapes backslash, quote and line feed.
    private static func sorted(_ labels: Labels) -> [String] {
        labels.sorted { $0.key < $1.key }.map { name, value in
            let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                .replacing("\n", with: "\\n")
            return "\(name)=\"\(escaped)\""
        }
    }

    private static func lines(of metric: Metric, _ labels: [String], _ series: Series) -> String {
        guard case .histogram(let bounds) = metric.kind else {
            return line(metric.name, labels, number(series.value))
        }
        var count = 0
        var text = ""
        for (bound, bucket) in zip(bounds.map(number) + ["+Inf"], series.buckets) {
            count += bucket
            text += line(metric.name + "_bucket", labels + ["le=\"\(bound)\""], String(count))
        }
        text += line(metric.name + "_sum", labels, number(series.value))
        return text + line(metric.name + "_count", labels, String(count))
    }

    private static func line(_ name: String, _ labels: [String], _ value: String) -> String {
        let set = labels.isEmpty ? "" : "{" + labels.joined(separator: ",") + "}"
        return "\(name)\(set) \(value)\n"
    }

    /// Formats a number, without a fraction if it is whole.
    private static func number(_ value: Double) -> String {
        Int(exactly: value).map { String($0) } ?? "\(value)"
    }
}
