import ProgramKit
import SyncCore

enum RefusedExportCommand {
    static let command = Command(
        "refused export",
        "ID FILE",
        summary: "export a change set and its points to a file",
        options: [Option("--force", "overwrite an existing file")],
        details: """
            The set is signed as it was sent. The file has the format of
            'wake export --sealed', with the chunks of points added.
            """
    ) { arguments, context in
        let library = try await context.library()
        let label = try SetLabel(arguments.required("ID"))
        let sets = try await library.replica.read { try $0.rejected.all() }
        let set = try label.pick(from: sets, list: "wake refused")
        let path = arguments.required("FILE")
        let item = try await library.replica.read { try $0.rejected.pushItem(of: set) }
        let bytes = item?.encoded ?? []
        // The file may contain positions of the person, so only its owner may read it.
        let file = try OutputFile(path, mode: 0o600, replaces: arguments.flag("--force"))
        try file.write(bytes)
        try file.finish()
        context.output.result(
            .object([
                ("file", .text(path)), ("bytes", .integer(bytes.count)),
                ("chunks", .integer(item?.chunks.count ?? 0)),
            ])
        ) { "wrote change set \(set.label) to \(path.withoutControls)\n" }
        return .success
    }
}
