import ProgramKit
import SyncCore

/// The report on rejected change sets and unreadable log entries.
struct RejectionReport: Sendable {
    let sets: [RejectedChangeSet]
    let unreadable: [UnreadableEntry]
    private let words: [Identifier: RowWords]

    /// Loads all rejected change sets and unreadable entries of the replica.
    init(of library: Library, _ preferences: Preferences) async throws {
        let replica = library.replica
        sets = try await replica.read { try $0.rejected.all() }
        unreadable = try await replica.read { try $0.unreadable.all() }
        var words: [Identifier: RowWords] = [:]
        for (space, sets) in Dictionary(grouping: sets, by: \.space) {
            let changes = sets.flatMap { $0.changes ?? [] }
            words[space] = try await RowWords(of: changes, in: library, space, preferences)
        }
        self.words = words
    }

    var json: [JSON] { sets.map { $0.json(author: nil) } + unreadable.map(\.json) }

    /// Prints each change set with its changes below it.
    func show(on output: Output, _ preferences: Preferences) {
        for set in sets {
            let title = set.title(preferences).withoutControls
            output.line(output.styled(title, .yellow))
            for change in set.changes ?? [] where change.key.field != FieldSchema.made.name {
                let line = words[set.space]?.line(change) ?? ""
                output.line("  " + line.withoutControls)
            }
        }
        for entry in unreadable {
            let title = "\(entry.state): entry \(entry.position) of the log: \(entry.words)"
            output.line(output.styled(title, .yellow))
        }
    }
}

extension RejectedChangeSet {
    private var words: (state: String, reason: String) {
        switch state {
        case .held(let reason): ("held", Self.words(for: reason))
        case .unadoptable(.notAllowed): ("held", "only another person may write what it changes")
        case .unadoptable(let error): ("held", error.words)
        case .refused(let reason): ("refused", Self.words(for: reason))
        case .void(let error): ("void", error.words)
        case .pending(let error):
            ("pending", error.map(\.words) ?? "the next sync merges it")
        case .unfollowed:
            ("pending", "it changes your devices or keys, and does not fit what this device knows")
        }
    }

    /// Why the set does not count, for people.
    var reasonWords: String { words.reason }

    /// Explains a server's reason for a verdict.
    static func words(for reason: String) -> String {
        switch reason {
        case "role": "this person's role does not allow this change (role)"
        case "cut": "its author was removed, demoted or revoked before it arrived (cut)"
        case RejectedChangeSet.declined: "an admin declined it (declined)"
        case RejectedChangeSet.superseded: "all that it wrote was written again since (superseded)"
        case "clock": "its time is too far ahead of the server's clock (clock)"
        case "quota": "the space's quota is used up (quota)"
        case "upgrade": "it needs a feature that this server does not support yet (upgrade)"
        case "": "the server gave no reason"
        default: reason
        }
    }

    fileprivate func title(_ preferences: Preferences) -> String {
        "\(words.state): change set \(label) from \(writtenWords(preferences)): \(words.reason)"
    }

    /// When the set was written; the changes of an import have no time.
    func writtenWords(_ preferences: Preferences) -> String {
        writtenTime.map { "\(preferences.time($0)) UTC" } ?? "an import"
    }

    private var writtenTime: UnixTime? { written.milliseconds > 0 ? written : nil }

    func json(author: String?) -> JSON {
        .object([
            ("state", .text(words.state)),
            ("reason", .text(words.reason)),
            ("id", .text(label)),
            ("space", .text(space.description)),
            ("replica", .text(replica.description)),
            ("sequence", .integer(sequence)),
            ("device", .text(device.description)),
            ("deviceName", .text(author)),
            ("written", .time(writtenTime)),
            (
                "changes",
                changes.map { changes in
                    .array(
                        changes.map { change in
                            .object([
                                ("collection", .text(change.key.collection.string)),
                                ("row", .text(change.key.row.description)),
                                ("field", .text(change.key.field.string)),
                                ("value", .value(change.cell.value)),
                            ])
                        }
                    )
                } ?? .null
            ),
        ])
    }
}

extension UnreadableEntry {
    fileprivate var words: String {
        reason.map(\.words) ?? "the next sync merges it"
    }

    fileprivate var state: String { isAwaited ? "missing" : "pending" }

    fileprivate var json: JSON {
        .object([
            ("state", .text(state)),
            ("reason", .text(words)),
            ("space", .text(space.description)),
            ("position", .integer(Int(clamping: position))),
            ("changes", .null),
        ])
    }
}
