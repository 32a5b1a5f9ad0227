@testable import SyncCore

/// A body written column by column, so that each rule can be broken by itself.
struct HandmadeBody {
    struct Group {
        var collection: Text
        var planes: [UInt8]
        var texts: [Text] = []
    }

    /// Three rows of one collection: two ids and a text.
    var rows = [Group(collection: "a", planes: planes([1, 2]), texts: ["r"])]
    var fields: [Text] = ["f", "g"]
    var times: [UInt8] = [0, 0, 3]
    var rowOf: [UInt8] = [0, 1, 2]
    var fieldOf: [UInt8] = [0, 1, 0]
    /// The encoded values of each field.
    var values: [[[UInt8]]] = [[[0xf6], [0xf5]], [[0x01]]]

    /// One cell for each of so many rows, which ascend; the indices still have to be set.
    static func cells(_ count: Int) -> HandmadeBody {
        var body = HandmadeBody()
        body.rows = [Group(collection: "a", planes: planes((0..<count).map { UInt128($0) }))]
        body.fields = ["f"]
        body.times = [UInt8](repeating: 0, count: count)
        body.rowOf = []
        body.fieldOf = []
        body.values = [[[UInt8]](repeating: [0xf6], count: count)]
        return body
    }

    /// The bytes of ids: the first byte of each, then the second of each, and so on.
    static func planes(_ ids: [UInt128]) -> [UInt8] {
        let names = ids.map { Identifier(number: $0).bytes }
        return (0..<16).flatMap { plane in names.map { $0[plane] } }
    }

    var bytes: [UInt8] {
        var encoder = CBOREncoder()
        encoder.array(6)
        encoder.array(rows) { encoder, group in
            encoder.array(3)
            encoder.text(group.collection)
            encoder.bytes(group.planes)
            encoder.array(group.texts) { $0.text($1) }
        }
        encoder.array(fields) { $0.text($1) }
        for column in [times, rowOf, fieldOf] { encoder.bytes(column) }
        encoder.array(values) { encoder, values in
            encoder.array(values) { $0.encoded($1) }
        }
        return encoder.bytes
    }

    /// Reads the body under a header of so many cells, by default of as many as there are values.
    func decoded(cells: Int? = nil) throws(ChangeSetError) -> [Change] {
        let header = Sealing.header(of: bytes, cells: cells ?? values.reduce(0) { $0 + $1.count })
        return try Body.decode(bytes, for: header).changes
    }

    /// Why the body is refused, with an offset of 0; nil if it is accepted.
    func refusal(cells: Int? = nil) -> ChangeSetError? {
        do {
            _ = try decoded(cells: cells)
            return nil
        } catch {
            return error.withoutOffset
        }
    }
}

extension ChangeSetError {
    static let unexpected = ChangeSetError.encoding(.unexpected(offset: 0))
    static let notAscending = ChangeSetError.encoding(.keysNotAscending(offset: 0))
    static let tooLarge = ChangeSetError.encoding(.tooLarge(offset: 0))
    static let notShortest = ChangeSetError.encoding(.notShortest(offset: 0))
    static let truncated = ChangeSetError.encoding(.truncated(offset: 0))

    fileprivate var withoutOffset: ChangeSetError {
        guard case .encoding(let error) = self else { return self }
        return switch error {
        case .truncated: .truncated
        case .unexpected: .unexpected
        case .notShortest: .notShortest
        case .notFinite: .encoding(.notFinite(offset: 0))
        case .tooLarge: .tooLarge
        case .invalidText: .encoding(.invalidText(offset: 0))
        case .keysNotAscending: .notAscending
        case .tooDeep: .encoding(.tooDeep(offset: 0))
        case .trailingBytes: .encoding(.trailingBytes(offset: 0))
        }
    }
}
