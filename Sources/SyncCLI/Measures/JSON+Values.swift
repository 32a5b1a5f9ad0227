import ProgramKit
import SyncCore

extension JSON {
    /// Returns a time as RFC 3339 in UTC, or null.
    static func time(_ time: UnixTime?) -> JSON { .text(time?.iso8601) }

    /// Returns a replicated value; bytes become hexadecimal text.
    static func value(_ value: Value) -> JSON {
        switch value {
        case .null: .null
        case .bool(let truth): .bool(truth)
        case .integer(let number): .integer(number)
        case .float(let number): .number(number, decimals: 9)
        case .text(let text): .text(text.string)
        case .bytes(let bytes): .text(bytes.hexadecimal)
        case .list(let values): .array(values.map { .value($0) })
        case .map(let values):
            .object(values.sorted { $0.key < $1.key }.map { ($0.key.string, .value($0.value)) })
        }
    }
}
