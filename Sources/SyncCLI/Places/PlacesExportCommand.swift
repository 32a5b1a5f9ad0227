import ProgramKit
import SyncCore

enum PlacesExportCommand {
    static let command = Command(
        "places export",
        summary: "export all places as GPX, from A to Z",
        options: [
            Option("--output FILE", "the file to write (default: standard output)"),
            Option("--force", "overwrite an existing file"),
        ]
    ) { arguments, context in
        let library = try await context.library()
        let places = try await library.places()
        let path = arguments.option("--output")
        guard let path, path != "-" else {
            guard !context.output.isJSON else {
                throw UserError.usage(
                    "--json needs --output FILE: the places go to standard output"
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
}
