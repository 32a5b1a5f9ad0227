import ProgramKit
import SyncCore

/// A filter for tracks; all given criteria must match.
struct TrackFilter: Sendable {
    private var sport: String?
    private var text: String?
    private var area: Area?
    private var first: DayPrefix?
    private var last: DayPrefix?

    static let options = [
        Option("--sport SPORT", "only tracks of this sport"),
        Option("--text WORD", "only tracks with this text in their name or notes"),
        Option("--near PLACE", "only tracks near LAT,LON or LAT,LON,KM (default: 5 km)"),
        Option("--from DAY", "only tracks from this day, month or year: 2026-05-14, 2026-05"),
        Option("--to DAY", "only tracks up to the end of this day, month or year"),
    ]

    /// Reads the filter from the options above.
    init(_ arguments: Arguments) throws(UserError) {
        sport = arguments.option("--sport")?.lowercased()
        text = arguments.option("--text")?.lowercased()
        if let words = arguments.option("--near") { area = try Area(words) }
        if let words = arguments.option("--from") { first = try DayPrefix(words) }
        if let words = arguments.option("--to") { last = try DayPrefix(words) }
    }

    /// Whether the filter matches every track.
    var isOpen: Bool { sport == nil && text == nil && area == nil && first == nil && last == nil }

    /// Returns whether a track matches.
    ///
    /// A track without a time is in no period; a track without points is in no area.
    func contains(_ track: Track) -> Bool {
        if let sport, track.sport?.lowercased() != sport { return false }
        if let text {
            let words = [track.name, track.notes].compactMap { $0?.lowercased() }
            guard words.contains(where: { $0.contains(text) }) else { return false }
        }
        if let area, !area.meets(track.box) { return false }
        guard first != nil || last != nil else { return true }
        guard let day = track.start?.day else { return false }
        return first.map { $0.isBefore(orIn: day) } ?? true
            && last.map { $0.isAfter(orIn: day) } ?? true
    }
}

/// A circle around a position.
private struct Area: Sendable {
    private static let usualKilometres = 5.0
    private static let farthestKilometres = 20_040.0

    let place: Coordinate
    let metres: Double

    /// Parses `LAT,LON` or `LAT,LON,KM`, in degrees and kilometres.
    init(_ text: String) throws(UserError) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let kilometres =
            words.count == 3 ? Double(words[2].filter { $0 != " " }) : Self.usualKilometres
        guard words.count <= 3, let kilometres, (0...Self.farthestKilometres).contains(kilometres),
            let place = try? Coordinate(typed: words.prefix(2).joined(separator: ","))
        else {
            throw UserError.usage(
                "'\(text.withoutControls.shortened(to: 40))' is not a place",
                hint: "use degrees north and east, and kilometres: '--near 52.85,5.31,10'"
            )
        }
        self.place = place
        metres = kilometres * 1000
    }

    func meets(_ box: ChunkSummary.Box?) -> Bool {
        box.map { $0.metres(to: place) <= metres } ?? false
    }
}

/// A day, month or year as a prefix of an ISO 8601 date such as `2026-05-14`.
private struct DayPrefix: Sendable {
    private let text: String

    init(_ text: String) throws(UserError) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int($0) }
        let isWritten = zip(parts, [4, 2, 2]).allSatisfy { part, length in
            part.utf8.count == length && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard (1...3).contains(parts.count), numbers.count == parts.count, isWritten,
            CivilDate(
                year: numbers[0],
                month: numbers.count > 1 ? numbers[1] : 1,
                day: numbers.count > 2 ? numbers[2] : 1
            ) != nil
        else {
            throw UserError.usage(
                "'\(text.withoutControls.shortened(to: 40))' is not a day",
                hint: "use a day, a month or a year: 2026-05-14, 2026-05 or 2026"
            )
        }
        self.text = text
    }

    func isBefore(orIn day: String) -> Bool { text <= day }

    func isAfter(orIn day: String) -> Bool { day.prefix(text.count) <= text }
}
