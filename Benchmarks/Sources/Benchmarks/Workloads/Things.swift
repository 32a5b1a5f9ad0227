internal import SyncCore

/// Rows of ten fields and edits of them, after W1 of the measurements: boats, marks and routes
/// with six texts, three whole numbers and one fraction; some rows are edited far more than others.
struct Things {
    private var random: SplitMix64
    let rowCount: Int

    private static let fields: [Text] = [
        "name", "notes", "kind", "colour", "visible", "sort", "length", "weight", "owner", "unit",
    ]
    private static let weights = [20, 14, 3, 6, 14, 20, 6, 8, 5, 4]
    private static let words = "anchor bay buoy cape deck fjord gulf helm jib keel luff mast reef"
        .split(separator: " ")

    init(seed: UInt64, rowCount: Int) {
        random = SplitMix64(seed: seed)
        self.rowCount = rowCount
    }

    /// How many cells all rows have.
    var cellCount: Int { rowCount * Self.fields.count }

    /// Every field of every row.
    mutating func all() -> [Edit] {
        (0..<rowCount).flatMap { row in
            Self.fields.indices.map { edit(row: row, field: $0) }
        }
    }

    /// The next edits of this seed.
    mutating func edits(_ count: Int) -> [Edit] {
        (0..<count).map { _ in edit(row: someRow(), field: someField()) }
    }

    private mutating func edit(row: Int, field: Int) -> Edit {
        Edit(Key("thing", .id(Self.id(ofRow: row)), Self.fields[field]), value(of: field))
    }

    /// A random id, the same on all devices: multiples of a constant would compress too well.
    private static func id(ofRow row: Int) -> Identifier {
        var random = SplitMix64(seed: UInt64(row))
        return .random(using: &random)
    }

    /// Seven of ten edits go to the first rows rather than to the last.
    private mutating func someRow() -> Int {
        let place = Double.random(in: 0..<1, using: &random)
        let isHot = Int.random(in: 0..<10, using: &random) < 7
        return Int(Double(rowCount) * (isHot ? place * place : place))
    }

    private mutating func someField() -> Int {
        var rest = Int.random(in: 0..<Self.weights.reduce(0, +), using: &random)
        for (field, weight) in Self.weights.enumerated() {
            rest -= weight
            if rest < 0 { return field }
        }
        return 0
    }

    private mutating func value(of field: Int) -> Value {
        switch field {
        case 0: .text(Text(words(1...3)))
        case 1: .text(Text(words(3...12)))
        case 3: .text(Text("#" + String(Int.random(in: 0..<1 << 24, using: &random), radix: 16)))
        case 4: .integer(Int64.random(in: 0...1, using: &random))
        case 5, 6: .integer(Int64.random(in: 0..<100_000, using: &random))
        case 7: .float(Double.random(in: 0..<9000, using: &random).rounded())
        case 8: .text(Text("m\(Int.random(in: 0..<500, using: &random))"))
        default: .text(Text(words(1...1)))
        }
    }

    private mutating func words(_ count: ClosedRange<Int>) -> String {
        (0..<Int.random(in: count, using: &random))
            .map { _ in Self.words[Int.random(in: 0..<Self.words.count, using: &random)] }
            .joined(separator: " ")
    }
}
