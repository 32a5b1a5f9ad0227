import ProgramKit
import SyncCore

enum TracksSetCommand {
    static let command = Command(
        "tracks set",
        "ID FIELD VALUE",
        summary: "set a field of a track; an empty value clears it",
        details: """
            fields: \(settable.map(\.string).joined(separator: ", "))

            'filter off' trusts every fix of the track. Otherwise, wrong fixes (no position,
            a jump there and back, an accuracy above 100 m) are kept and shown, but do not
            count for the distance. The speed limit for a jump depends on the sport.

            'zone Europe/Amsterdam' or 'zone +02:00' sets the local time of the track: its
            times are shown in this zone, and its day is the day there. The recorded times
            do not change. An empty zone restores the zone from the recorder or the file.
            """
    ) { arguments, context in
        let name = arguments.required("FIELD")
        guard let field = settable.first(where: { $0.string == name }) else {
            let names = settable.map(\.string)
            throw UserError.usage(
                "a track has no field '\(name)'",
                hint: Spelling.hint(for: name, in: names)
                    ?? "the fields are \(names.joined(separator: ", "))"
            )
        }
        let value = arguments.required("VALUE")
        guard field != TrackField.filter || ["on", "off", ""].contains(value) else {
            throw UserError.usage("the filter of a track can be on or off, not '\(value)'")
        }
        return try await set(field, to: value, of: arguments.required("ID"), context)
    }

    private static let settable = TrackField.texts + [TrackField.filter, TrackField.zone]

    /// Writes a typed value to a field of a track.
    static func set(
        _ field: Text,
        to text: String,
        of id: String,
        _ context: Context
    ) async throws -> ExitCode {
        let library = try await context.library()
        let found = try await library.track(id)
        let cell = try cell(field, text, of: found)
        let (track, isChanged) = try await library.write(
            cell.field,
            cell.value,
            to: found,
            at: context.moment()
        )
        let state = isChanged ? "" : ", unchanged"
        context.output.result(.track(track)) {
            text.isEmpty
                ? "\(track.id.short): \(field) \(isChanged ? "cleared" : "was already empty")\n"
                : "\(track.id.short): \(field) is '\(text.withoutControls)'\(state)\n"
        }
        if track.isDeleted {
            context.output.note("the track is in the trash; the edit was saved")
        }
        return .success
    }

    /// Converts typed text to a field value; null clears the field.
    private static func cell(
        _ field: Text,
        _ text: String,
        of track: Track
    ) throws(UserError) -> (field: Text, value: Value) {
        switch field {
        case TrackField.filter: return (field, text == "off" ? .bool(false) : .null)
        case TrackField.zone: return (field, try clocks(of: track, zone: text))
        default: return (field, text.isEmpty ? .null : .text(Text(text)))
        }
    }

    /// Returns the clocks of a track's start for a zone name or an offset.
    ///
    /// Empty text gives null, which restores the zone of the recorder or the file.
    private static func clocks(of track: Track, zone text: String) throws(UserError) -> Value {
        if text.isEmpty { return .null }
        guard let time = track.start?.time else {
            throw UserError.failure("cannot set the zone of \(track.label): its time is unknown")
        }
        if let offset = UTCOffset(iso8601: text.utf8) {
            return TrackStart(time, offset: offset).clocks
        }
        guard let zone = ZoneName(text), let offset = ZoneRules.offset(of: zone, at: time) else {
            throw UserError.usage(
                "unknown time zone '\(text.withoutControls.shortened(to: 40))'",
                hint: "use a name such as Europe/Amsterdam, or an offset such as +05:30"
            )
        }
        return TrackStart(time, offset: offset, zone: zone).clocks
    }
}
