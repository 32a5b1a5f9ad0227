import ProgramKit
import SyncCore

/// Places that people keep.
extension Commands {
    static let placesAdd = Command(
        "places add",
        "NAME POSITION...",
        summary: "keep a place",
        options: [Option("--notes TEXT", "what there is to know about it")],
        details: positionHelp
    ) { arguments, context in
        let position = try Coordinate(typed: arguments.list("POSITION").joined(separator: " "))
        let name = try placeName(arguments.required("NAME"))
        let library = try await context.library()
        let id = await library.replica.newRowID()
        let notes = arguments.option("--notes").map { [(Place.Field.notes, Value.text(Text($0)))] }
        let fields = [
            (Place.Field.name, Value.text(Text(name))), (Place.Field.position, position.value),
        ]
        let place = RowName(collection: CollectionSchema.place.name, id: id)
        try await library.replica.write(
            (fields + (notes ?? [])).map { Edit(Key(place.collection, .id(id), $0), $1) },
            as: "adding the place '\(name.withoutControls)'",
            in: library.space,
            at: context.now()
        )
        return try await tellPlace(place, in: library, context) { "added \($0)" }
    }

    private static let positionHelp = """
        A position is degrees north and east, such as 52.85123,5.31045 or -33.857 151.215, or degrees
        with minutes and seconds, such as 52°51.07'N 5°18.63'E or S33 51 24 E151 12 54.
        """

    static let placesList = Command(
        "places list",
        summary: "list the places, from A to Z"
    ) { _, context in
        let library = try await context.library()
        let places = try await places(of: library)
        let output = context.output
        if output.isJSON {
            output.json(.object([("places", .array(places.map { .object($0.members) }))]))
        } else if places.isEmpty {
            output.note("no places yet: 'wake places add' keeps one, and so does a file's waypoint")
        } else {
            let all = try await library.replica.rowIDs(in: library.space)
            output.table(
                Table(
                    columns: [
                        .whole("id"), .left("name"), .whole("position"),
                        .left("notes").ifThereIsRoom,
                    ],
                    rows: zip(IDPrefix.short(places.map(\.id), among: all), places).map {
                        [$0, $1.name ?? "(no name)", $1.position?.words ?? "–", $1.notes ?? ""]
                    }
                )
            )
        }
        return .success
    }

    static let placesRename = Command(
        "places rename",
        "ID NAME",
        summary: "give a place another name"
    ) { arguments, context in
        let name = try placeName(arguments.required("NAME"))
        return try await setPlace(Place.Field.name, .text(Text(name)), arguments, context) {
            "renaming \($0)"
        }
    }

    static let placesMove = Command(
        "places move",
        "ID POSITION...",
        summary: "say where a place is",
        details: positionHelp
    ) { arguments, context in
        let position = try Coordinate(typed: arguments.list("POSITION").joined(separator: " "))
        return try await setPlace(Place.Field.position, position.value, arguments, context) {
            "moving \($0)"
        }
    }

    static let placesNotes = Command(
        "places notes",
        "ID TEXT",
        summary: "write what there is to know about a place; an empty text takes it away"
    ) { arguments, context in
        let text = arguments.required("TEXT")
        let value: Value = text.isEmpty ? .null : .text(Text(text))
        return try await setPlace(Place.Field.notes, value, arguments, context) {
            "editing the notes of \($0)"
        }
    }

    static let placesDelete = Command(
        "places delete",
        "ID",
        summary: "move a place to the trash"
    ) { arguments, context in
        let library = try await context.library()
        return try await delete(try await place(arguments, in: library), in: library, context)
    }

    static let placesExport = Command(
        "places export",
        summary: "write all places as GPX, from A to Z",
        options: [
            Option("--output FILE", "where to (else standard output)"),
            Option("--force", "write over a file that is there"),
        ]
    ) { arguments, context in
        let library = try await context.library()
        let places = try await places(of: library)
        let path = arguments.option("--output")
        guard let path, path != "-" else {
            guard !context.output.isJSON else {
                throw UserError(
                    .usage,
                    "--json needs --output FILE, for the places fill the output"
                )
            }
            var writer = GPXWriter(to: context.output.write)
            writer.write(places)
            try writer.finish()
            return .success
        }
        let file = try OutputFile(path, replaces: arguments.flag("--force"))
        var writer = GPXWriter { try file.write($0) }
        writer.write(places)
        try writer.finish()
        try file.finish()
        context.output.result(
            .object([("file", .text(path)), ("places", .integer(places.count))])
        ) { "wrote \(places.count.counted("place")) to \(path)\n" }
        return .success
    }

    /// The places from A to Z, those without a name last.
    private static func places(of library: Library) async throws -> [Place] {
        let rows = try await library.replica.liveRows(
            CollectionSchema.place.name,
            in: library.space
        )
        return rows.compactMap(Place.init).sorted {
            ($0.name?.lowercased() ?? "\u{10FFFF}", $0.id)
                < ($1.name?.lowercased() ?? "\u{10FFFF}", $1.id)
        }
    }

    private static func placeName(_ name: String) throws(UserError) -> String {
        guard name.withoutControls.contains(where: { !$0.isWhitespace }) else {
            throw UserError(.usage, "a place needs a name")
        }
        return name
    }

    private static func place(
        _ arguments: Arguments,
        in library: Library
    ) async throws -> FoundRow {
        try await library.row(arguments.required("ID"), in: .place, list: "wake places list")
    }

    private static func setPlace(
        _ field: Text,
        _ value: Value,
        _ arguments: Arguments,
        _ context: Context,
        words: (String) -> String
    ) async throws -> ExitCode {
        let library = try await context.library()
        let row = try await place(arguments, in: library)
        let (_, isChanged) = try await library.write(
            field,
            value,
            to: row,
            as: words(row.label),
            at: context.now()
        )
        return try await tellPlace(row.name, in: library, context) {
            isChanged ? $0 : "\($0), as before"
        }
    }

    private static func tellPlace(
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
            context.output.note("the place is in the trash; the edit is kept with it there")
        }
        return .success
    }
}

extension RowPresenter {
    /// Places, with their position in degrees.
    static let place = RowPresenter(schema: .place) { row, _ in
        Place(id: row.name.id, row.state.cells).members
    }
}

extension Place {
    /// The members that every command gives a place.
    var members: [(String, JSON)] {
        [
            ("id", .text(id.description)), ("name", .text(name)),
            ("position", position?.json ?? .null), ("notes", .text(notes)),
        ]
    }
}
