import ProgramKit
import SyncCore

/// Shared parts of the commands that edit a place.
enum PlaceEditing {
    static let positionHelp = """
        A position is degrees north and east, such as 52.85123,5.31045 or
        -33.857 151.215, or degrees with minutes and seconds, such as
        52°51.07'N 5°18.63'E or S33 51 24 E151 12 54.
        """

    /// Validates a place's name, which must contain a visible character.
    static func name(_ name: String) throws(UserError) -> String {
        guard name.withoutControls.contains(where: { !$0.isWhitespace }) else {
            throw UserError.usage("a place needs a name")
        }
        return name
    }

    /// Writes a field of the place that the arguments name and reports the result.
    static func set(
        _ field: Text,
        _ value: Value,
        _ arguments: Arguments,
        _ context: Context,
        words: (String) -> String
    ) async throws -> ExitCode {
        let library = try await context.library()
        let row = try await find(arguments, in: library)
        let (_, isChanged) = try await library.write(
            field,
            value,
            to: row,
            as: words(row.label),
            at: context.moment()
        )
        return try await tell(row.name, in: library, context) {
            isChanged ? $0 : "\($0), unchanged"
        }
    }

    /// Reports a place after an edit.
    static func tell(
        _ name: RowName,
        in library: Library,
        _ context: Context,
        words: (String) -> String
    ) async throws -> ExitCode {
        guard let row = try await library.present(name) else { return .success }
        let place = Place(id: name.id, row.state.cells)
        context.output.result(.object([("place", .object(place.members))])) {
            words("\(row.label) at \(place.position?.words ?? "–")") + "\n"
        }
        if row.state.isDeleted {
            context.output.note("the place is in the trash; the edit was saved")
        }
        return .success
    }

    static func find(_ arguments: Arguments, in library: Library) async throws -> FoundRow {
        try await library.row(arguments.required("ID"), in: .place, list: "wake places list")
    }
}
