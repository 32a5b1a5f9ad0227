import ProgramKit
import SyncCore

enum SpacesListCommand {
    static let command = Command(
        "spaces list",
        summary: "list the spaces shared with other people",
        details: """
            Commands for tracks, places and other rows take '--space NAME' with a name or
            the beginning of an id from this list. Without it, they use your own space.
            """
    ) { _, context in
        let library = try await context.library()
        let spaces = try await library.replica.read { try $0.sharedSpaces.all() }
        let none = "none; 'wake spaces create NAME' makes one, and 'wake join LINK' enters one"
        await context.output.list("spaces", spaces, none: none, json: \.json) {
            let rows = spaces.map(\.cells)
            context.output.table(
                Table(
                    columns: [.whole("id"), .left("name"), .whole("your role"), .right("people")],
                    rows: rows
                )
            )
        }
        return .success
    }
}

extension SharedSpace {
    fileprivate var json: JSON {
        .object([
            ("id", .text(id.description)),
            ("name", .text(name)),
            ("role", .text(role?.rawValue)),
            ("members", .integer(memberCount)),
        ])
    }

    fileprivate var cells: [String] {
        [
            id.short, name?.withoutControls ?? "?", role?.rawValue ?? "none any more",
            "\(memberCount)",
        ]
    }
}
