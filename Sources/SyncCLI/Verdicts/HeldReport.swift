import ProgramKit
import SyncCore

/// What an admin sees of the held change sets of a space.
struct HeldReport: Sendable {
    private let sets: [RejectedChangeSet]
    private let words: RowWords
    /// The names of the devices that sealed the sets.
    private let authors: [Identifier: String]
    /// The name of the space; nil for the own one.
    private let spaceName: String?

    /// How many rows of a set are shown.
    private static let rowLimit = 8

    init(
        of sets: [RejectedChangeSet],
        in space: Identifier,
        _ library: Library,
        _ preferences: Preferences
    ) async throws {
        self.sets = sets
        let shown = sets.flatMap { Self.shown($0.changes ?? []) }
        words = try await RowWords(of: shown, in: library, space, preferences)
        (authors, spaceName) = try await library.replica.read { parts in
            var names: [Identifier: String] = [:]
            for device in sets.map(\.device) {
                names[device] = try parts.devices.name(of: device, in: space) ?? device.short
            }
            let shared = try parts.sharedSpaces.all().first { $0.id == space }
            return (names, shared.map { $0.name ?? space.short })
        }
    }

    var json: [JSON] { sets.map { $0.json(author: authors[$0.device]) } }

    /// Prints each change set with its reason and the rows that it writes.
    func show(on output: Output, _ preferences: Preferences) {
        for set in sets {
            let author = authors[set.device] ?? set.device.short
            let place = spaceName.map { " in '\($0)'" } ?? ""
            let time = set.writtenWords(preferences)
            let title = "\(set.label) by \(author)\(place), \(time)"
            output.line(output.styled(title.withoutControls, .yellow))
            output.line("  " + set.reasonWords)
            let (all, shown) = (set.changes ?? [], Self.shown(set.changes ?? []))
            for line in lines(of: shown) { output.line("  " + line.withoutControls) }
            let more = Self.rows(of: all).count - Self.rows(of: shown).count
            if more > 0 { output.line("  and \(more.counted("more row"))") }
        }
    }

    /// The changes of the first rows of a set.
    private static func shown(_ changes: [Change]) -> [Change] {
        let rows = Set(rows(of: changes).prefix(rowLimit))
        return changes.filter { rows.contains($0.key.row) }
    }

    /// The rows of changes, in their order; a row that continues another one counts with it.
    private static func rows(of changes: [Change]) -> [Row] {
        var known: Set<Row> = []
        return changes.map(\.key.row).filter { known.insert($0).inserted }
    }

    /// One line for each new row, and for each field of any other row.
    private func lines(of changes: [Change]) -> [String] {
        var new: Set<String> = []
        return changes.compactMap { change in
            if words.isNew(change.key) {
                let title = words.title(change.key)
                return new.insert(title).inserted ? "new: \(title)" : nil
            }
            return change.key.field == FieldSchema.made.name ? nil : words.line(change)
        }
    }
}
