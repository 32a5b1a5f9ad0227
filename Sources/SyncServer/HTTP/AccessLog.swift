internal import ProgramKit
internal import SyncCore

/// Writes one line per request, without its query, tokens or positions.
struct AccessLog: Sendable {
    enum Format: Sendable {
        /// For a person at a terminal.
        case text
        /// For a program: one JSON object per line.
        case json
    }

    let format: Format
    let now: @Sendable () -> UnixTime
    /// Gets each line with its line end, from any thread.
    let write: @Sendable (String) -> Void

    func callAsFunction(_ record: RequestRecord) {
        let time = now().milliseconds
        switch format {
        case .text: write(record.text(at: time) + "\n")
        case .json: write(record.json(at: time).compact + "\n")
        }
    }
}

extension RequestRecord {
    fileprivate func text(at time: Int64) -> String {
        let start = "\(time) \(id) \(route) \(status) \(bytesIn)/\(bytesOut) B"
        let fault = fault.map { " " + $0.onOneLine } ?? ""
        return start + " \(duration.milliseconds) ms " + (device ?? "-") + fault
    }

    /// The members in alphabetical order; `time` is in milliseconds since 1970.
    fileprivate func json(at time: Int64) -> JSON {
        let optional = [("device", device), ("fault", fault)].compactMap { name, value in
            value.map { (name, JSON.text($0)) }
        }
        let milliseconds: Int64 = duration.milliseconds
        let members: [(String, JSON)] = [
            ("id", .text(id)), ("milliseconds", .integer(milliseconds)),
            ("route", .text(route)), ("status", .integer(status)), ("time", .integer(time)),
        ]
        return .object(
            [("bytes_in", .integer(bytesIn)), ("bytes_out", .integer(bytesOut))] + optional
                + members
        )
    }
}

extension String {
    /// The text with control characters, line ends included, replaced by spaces.
    ///
    /// A terminal would interpret them.
    fileprivate var onOneLine: String {
        let scalars = unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? " " : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    /// Seconds with their fraction.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
