internal import ProgramKit
internal import SyncCore

/// Writes one line per request, without its query, tokens or positions.
struct AccessLog: Sendable {
    /// The format of the lines.
    enum Format: Sendable {
        /// For a person at a terminal.
        case text
        /// For a program: one JSON object per line.
        case json
    }

    private let format: Format
    private let now: @Sendable () -> UnixTime
    private let write: @Sendable (String) -> Void

    /// Creates a log; `write` gets each line with its line end, from any thread.
    init(
        _ format: Format,
        now: @escaping @Sendable () -> UnixTime,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.format = format
        self.now = now
        self.write = write
    }

    /// Writes the line of a request.
    func callAsFunction(_ record: RequestRecord) {
        let line = Line(record, time: now())
        switch format {
        case .text: write(line.text + "\n")
        case .json: write(String(decoding: JSON.encode(line), as: UTF8.self) + "\n")
        }
    }

    private struct Line: Encodable {
        /// Milliseconds since 1970.
        let time: Int64
        let id: String
        let route: String
        let status: Int
        let bytesIn: Int
        let bytesOut: Int
        let milliseconds: Int64
        let device: String?
        let fault: String?

        init(_ record: RequestRecord, time: UnixTime) {
            self.time = time.milliseconds
            id = record.id
            route = record.route
            status = record.status
            bytesIn = record.bytesIn
            bytesOut = record.bytesOut
            milliseconds = record.duration.milliseconds
            device = record.device
            fault = record.fault
        }

        enum CodingKeys: String, CodingKey {
            case time, id, route, status, milliseconds, device, fault
            case bytesIn = "bytes_in"
            case bytesOut = "bytes_out"
        }

        var text: String {
            let start = "\(time) \(id) \(route) \(status) \(bytesIn)/\(bytesOut) B"
            let fault = self.fault.map { " " + $0.onOneLine } ?? ""
            return start + " \(milliseconds) ms " + (device ?? "-") + fault
        }
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
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
