import SyncCore

extension Preferences {
    /// What a write to a field of a row said, as far as it tells by itself.
    func text(_ field: Text, _ value: Value) -> String {
        switch (field, value) {
        case (TrackField.start, _):
            if let start = TrackStart(value) { return text(start) }
        case (TrackField.zone, .list(let parts)):
            let told = TrackStart(.list([.integer(0)] + parts))
            return told?.zone?.text ?? told?.offset?.description ?? "(none)"
        case (TrackField.original, .map(let parts)):
            if let name = parts["name"]?.text { return name }
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
