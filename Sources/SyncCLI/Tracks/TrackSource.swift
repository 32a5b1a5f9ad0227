import ProgramKit
import SyncCore

/// What a track's file says of the device that recorded it, and what that counted.
struct TrackSource: Sendable {
    private let device: String?
    let laps: [ImportedTrack.Lap]
    private let totals: [Text: Int64]
    private let original: Original?

    /// Reads the cells of a track's row; `original` is the file that is kept of it.
    init(_ cells: [Text: Cell], _ original: Original?) {
        self.original = original
        device = cells[TrackField.device]?.value.text
        laps = (cells[TrackField.laps]?.value.list ?? []).compactMap(ImportedTrack.Lap.init)
        totals = (cells[TrackField.totals]?.value.map ?? [:]).compactMapValues(\.integer)
    }

    /// Lines for a person; none where no device is known.
    func fields(_ preferences: Preferences) -> [(label: String, value: String)] {
        var fields: [(String, String)] = []
        if let device { fields.append(("device", device.withoutControls)) }
        var figures: [String] = []
        if let centimetres = totals["centimetres"] {
            figures.append(preferences.distance(Double(centimetres) / 100))
        }
        if let time = totals["timer"] ?? totals["elapsed"] {
            figures.append(Elapsed.text(milliseconds: time))
        }
        if let ascent = totals["ascent"] { figures.append("\(ascent) m up") }
        if let energy = totals["kilocalories"] { figures.append("\(energy) kcal") }
        if !figures.isEmpty { fields.append(("device totals", figures.joined(separator: ", "))) }
        if let original {
            let name = original.name.isEmpty ? "" : original.name.withoutControls + ", "
            fields.append(("file", name + original.byteCount.counted("byte")))
        }
        return fields
    }

    /// The same for programs, as it is kept.
    var members: [(String, JSON)] {
        let totals = totals.sorted { $0.key < $1.key }.map {
            ($0.key.string, JSON.integer(Int($0.value)))
        }
        return [
            ("device", .text(device)), ("totals", .object(totals)),
            ("laps", .array(laps.map(Self.json))),
            (
                "original",
                original.map {
                    .object([
                        ("name", .text($0.name)), ("bytes", .integer($0.byteCount)),
                        ("sha256", .text($0.digest.description)),
                    ])
                } ?? .null
            ),
        ]
    }

    private static func json(_ lap: ImportedTrack.Lap) -> JSON {
        .object([
            ("start", .time(lap.start)),
            ("milliseconds", lap.milliseconds.map { .integer($0) } ?? .null),
            ("centimetres", lap.centimetres.map { .integer($0) } ?? .null),
        ])
    }
}
