import SyncCore

/// What lists tell of sets that someone should look at.
struct ConcernReport: Sendable {
    let concerns: [SetOfConcern]
    let unreadable: [UnreadableEntry]
    private let tracks: [Identifier: Track]

    /// Everything of concern that `replica` knows.
    init(of replica: Replica) async throws {
        concerns = try await replica.setsOfConcern()
        unreadable = try await replica.unreadableEntries()
        var tracks: [Identifier: Track] = [:]
        for concern in concerns {
            for change in concern.changes ?? [] {
                guard change.key.isOfTrack, let id = change.key.row.id, tracks[id] == nil else {
                    continue
                }
                tracks[id] = try await replica.track(id, in: concern.space)
            }
        }
        self.tracks = tracks
    }

    var isEmpty: Bool { concerns.isEmpty && unreadable.isEmpty }

    var json: [JSON] { concerns.map(\.json) + unreadable.map(\.json) }

    /// Each with what it would change below it.
    func show(on output: Output, _ preferences: Preferences) {
        for concern in concerns {
            let title = concern.title(preferences).withoutControls
            output.line(output.styled(title, .yellow))
            for change in concern.changes ?? [] {
                output.line("  " + line(of: change).withoutControls)
            }
        }
        for entry in unreadable {
            let title = "pending: entry \(entry.position) of the log: \(entry.words)"
            output.line(output.styled(title, .yellow))
        }
    }

    private func line(of change: Change) -> String {
        let (key, value) = (change.key, change.cell.value)
        let text = JSON.value(value).compact.shortened(to: 60)
        guard key.isOfTrack, let id = key.row.id else {
            return "\(key.collection) \(key.row) \(key.field) = \(text)"
        }
        let track = "track " + (tracks[id]?.label ?? id.short)
        if key.collection == TrackField.points, let chunk = ChunkReference(value) {
            return "\(track): \(chunk.sampleCount.counted("sample")) of its points"
        }
        if key.collection == TrackField.original { return "\(track): a piece of its file" }
        return "\(track): \(key.field) = \(text)"
    }
}

extension Key {
    fileprivate var isOfTrack: Bool {
        collection == TrackField.collection || ChunkReference.collections.contains(collection)
    }
}

extension SetOfConcern {
    private var words: (state: String, reason: String) {
        switch concern {
        case .held(let reason): ("held", Self.words(for: reason))
        case .refused(let reason): ("refused", Self.words(for: reason))
        case .pending(let error):
            ("pending", error.map(Complaint.words) ?? "the next sync takes it")
        }
    }

    /// What a server's reason for a verdict means to the person.
    static func words(for reason: String) -> String {
        switch reason {
        case "role": "this person may not write that in the space (role)"
        case "clock": "its time lies too far ahead of the server's (clock)"
        case "quota": "the space has no room for it (quota)"
        case "upgrade": "it needs a feature that the server does not have yet (upgrade)"
        case "": "the server told no reason"
        default: reason
        }
    }

    fileprivate func title(_ preferences: Preferences) -> String {
        "\(words.state): set \(label) of \(preferences.time(written)) UTC: \(words.reason)"
    }

    fileprivate var json: JSON {
        .object([
            ("state", .text(words.state)),
            ("reason", .text(words.reason)),
            ("id", .text(label)),
            ("space", .text(space.description)),
            ("replica", .text(replica.description)),
            ("sequence", .integer(sequence)),
            ("written", .time(written)),
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
        reason.map(Complaint.words) ?? "it is about another entry that cannot be read"
    }

    fileprivate var json: JSON {
        .object([
            ("state", .text("pending")),
            ("reason", .text(words)),
            ("space", .text(space.description)),
            ("position", .integer(Int(clamping: position))),
            ("changes", .null),
        ])
    }
}
