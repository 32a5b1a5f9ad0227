import ProgramKit
import SyncCore

/// The recording device and its own totals, as the imported file gives them.
struct TrackSource: Sendable {
    private let device: String?
    let laps: [ImportedTrack.Lap]
    private let totals: [Text: Int64]
    private let original: Original?
    private let copiedFrom: TrackLink?

    /// Reads the cells of a track's row; `original` is the kept file of the track.
    init(_ cells: [Text: Cell], _ original: Original?) {
        self.original = original
        copiedFrom = TrackLink(cells[TrackField.copiedFrom]?.value)
        device = cells[TrackField.device]?.value.text
        laps = (cells[TrackField.laps]?.value.list ?? []).compactMap(ImportedTrack.Lap.init)
        totals = (cells[TrackField.totals]?.value.map ?? [:]).compactMapValues(\.integer)
    }

    /// Returns the lines of the report; those whose data is missing have no value.
    func fields(_ preferences: Preferences) -> [(label: String, value: String?)] {
        let figures = [
            totals["centimetres"].map { preferences.distance(Double($0) / 100) },
            (totals["timer"] ?? totals["elapsed"]).map(Elapsed.text),
            totals["ascent"].map { "\($0) m up" }, totals["kilocalories"].map { "\($0) kcal" },
        ].compactMap(\.self)
        let file = original.map { original in
            (original.name.isEmpty ? "" : original.name.withoutControls + ", ")
                + original.byteCount.counted("byte")
        }
        return [
            ("device", device?.withoutControls),
            ("device totals", figures.isEmpty ? nil : figures.joined(separator: ", ")),
            ("file", file),
            (
                "copied from",
                copiedFrom.map { "track \($0.track.short) of the space \($0.space.short)" }
            ),
        ]
    }

    /// The JSON members, in the units of the stored values.
    var members: [(String, JSON)] {
        let totals = totals.sorted { $0.key < $1.key }.map {
            ($0.key.string, JSON.integer(Int($0.value)))
        }
        return [
            ("device", .text(device)), ("totals", .object(totals)),
            ("laps", .array(laps.map(Self.json))),
            (
                "copiedFrom",
                copiedFrom.map {
                    .object([
                        ("space", .text($0.space.description)),
                        ("track", .text($0.track.description)),
                    ])
                } ?? .null
            ),
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
