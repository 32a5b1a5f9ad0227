import SyncCore

/// The values of cells.
enum CBORTarget {
    static func check(_ input: [UInt8]) {
        guard let value = try? Value(decoding: input) else { return }
        precondition(value.encoded == input, "a value has one encoding")
        precondition(depth(of: value) <= CBORDecoder.depthLimit, "values nest to a limit")
    }

    private static func depth(of value: Value) -> Int {
        switch value {
        case .list(let values): 1 + (values.map(depth).max() ?? 0)
        case .map(let pairs): 1 + (pairs.values.map(depth).max() ?? 0)
        default: 0
        }
    }
}
