@testable import SyncCore

/// What people do: every kind of cell and value, few of each, so that ties are common.
struct Workload {
    private static let rows = (1...3).map { Identifier(number: UInt128($0)) }
    private static let words = [
        "name", "sport", "notes", "deleted", "tag/race", "tag/été", "colour",
    ]
    private static let values: [Value] = [
        .null, .bool(true), .bool(false), .integer(0), .integer(.max), .integer(.min), .float(-0.0),
        .float(1.5), .text("a"), .text("Größe — 航海"), .text(""), .bytes([0, 255]),
        .list([.integer(1), .text("b")]), .map(["k": .null, "é": .list([])]),
    ]

    /// Some changes that belong together.
    static func edits(of device: Int, _ random: inout SplitMix64) -> [Edit] {
        var edits: [Key: Edit] = [:]
        let row = rows[Int.random(in: 0..<rows.count, using: &random)]
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let key = key(row, &random)
            edits[key] = Edit(key, value(device, &random))
        }
        if Bool.random(using: &random), let edit = declared(row, &random) { edits[edit.key] = edit }
        return edits.values.sorted { $0.key < $1.key }
    }

    private static func key(_ row: Identifier, _ random: inout SplitMix64) -> Key {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: Key("widget", .id(row), "position")
        case 1: Key("best", .text("fastest 5 km"), Text("2026-04-24/\(random.next() % 3)"))
        case 2: Key("future", .text("rów"), Text("f\(random.next() % 2)"))
        default:
            Key("track", .id(row), Text(words[Int.random(in: 0..<words.count, using: &random)]))
        }
    }

    /// What a person does to a row of any kind of data that is declared; tracks have steps of their own.
    private static func declared(_ row: Identifier, _ random: inout SplitMix64) -> Edit? {
        let schemas = CollectionRegistry.standard.all.filter {
            $0.rows == .own && $0.writers == .editors && $0.projection == nil
        }
        guard let schema = schemas.randomElement(using: &random),
            let field = schema.fields.filter(\.isEdited).randomElement(using: &random),
            let value = (field.type.examples + [.null]).randomElement(using: &random)
        else { return nil }
        return Edit(Key(schema.name, .id(row), field.name), value)
    }

    private static func value(_ device: Int, _ random: inout SplitMix64) -> Value {
        // Half of them tell who wrote them, so that a loss cannot hide behind an equal value.
        if Bool.random(using: &random) {
            return .text(Text("d\(device) \(random.next() % 100_000)"))
        }
        return values[Int.random(in: 0..<values.count, using: &random)]
    }

    /// A change of a setting, in one of the scopes that this device may write.
    static func setting(
        user: Identifier,
        device: Identifier,
        _ random: inout SplitMix64
    ) -> Edit {
        let rows: [Row] = [
            Row.user(user), .text(Text("device/\(device)")), .text("space"),
        ]
        let row = rows[Int.random(in: 0..<3, using: &random)]
        let choices: [(Setting, Value)] = [
            (.metric, .bool(Bool.random(using: &random))), (.speedUnit, .text("mph")),
            (.speedUnit, .null),
            (.heartRateZones, .list([100, 120, 140, 160, 180].map(Value.integer))),
        ]
        let (setting, value) = choices[Int.random(in: 0..<4, using: &random)]
        return Edit(Key(Setting.collection, row, setting.key), value)
    }

    /// Samples that are no other's.
    static func samples(_ count: Int, of device: Int, _ random: inout SplitMix64) -> [Sample] {
        let start = Int64(random.next() % 1_000_000_000_000)
        return (0..<count).map { index in
            var sample = Sample(time: UnixTime(milliseconds: start + Int64(index) * 1000))
            sample[.latitude] = 52 + Double(index) * 1e-5
            sample[.longitude] = 5 + Double(device) * 1e-3
            sample[.heartRate] = Double(60 + random.next() % 100)
            return sample
        }
    }

    /// A file that several devices have.
    static func file(_ random: inout SplitMix64) -> (track: ImportedTrack, original: OriginalFile) {
        let number = random.next() % 3
        var own = SplitMix64(seed: number)
        let track = ImportedTrack(
            name: "file \(number)",
            sport: "sailing",
            samples: samples(5, of: 100, &own)
        )
        return (track, originals[Int(number)])
    }

    /// Files of one, two and three pieces.
    private static let originals = (1...3).map { pieces in
        let count = (pieces - 1) * Chunk.filePieceSize + 100
        let bytes = [UInt8](repeating: UInt8(pieces), count: count)
        var packer = OriginalPacker()
        packer.add(bytes)
        guard let file = packer.finish(name: "\(pieces).gpx", digest: Digest(of: bytes)) else {
            preconditionFailure("a file of so many bytes is kept")
        }
        return file
    }
}
