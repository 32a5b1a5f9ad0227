import SyncCore

extension Change {
    /// What a write said, for a table.
    func text(_ preferences: Preferences) -> String {
        let value = cell.value
        switch (key.field, value) {
        case (TrackField.start, _):
            if let start = TrackStart(value) { return preferences.text(start) }
        case (TrackField.zone, .list(let parts)):
            let told = TrackStart(.list([.integer(0)] + parts))
            return told?.zone?.text ?? told?.offset?.description ?? "(none)"
        case (TrackField.original, .map(let parts)):
            if let name = parts["name"]?.text { return name }
        case (TrackEdits.supersededBy, .list(let tracks)):
            let ids = tracks.compactMap { $0.bytes.flatMap { Identifier(bytes: $0) } }
            return ids.map(\.short).joined(separator: ", ")
        default: break
        }
        return switch value {
        case .null: "(none)"
        case .bool(let truth): truth ? "yes" : "no"
        case .text(let text): text.string
        default: JSON.value(value).compact
        }
    }
}

extension Key {
    private static let idLength = 8

    /// The field for a table: of one that is named by an id, the id's beginning.
    var shortField: String {
        let text = field.string
        guard text.hasPrefix(TrackEdits.hidePrefix) else { return text }
        return String(text.prefix(TrackEdits.hidePrefix.count + Self.idLength))
    }
}
