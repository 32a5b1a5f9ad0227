import ProgramKit
import SyncCore

enum SpacesRenameCommand {
    static let command = Command(
        "spaces rename",
        "SPACE NAME",
        summary: "rename a shared space for all its members"
    ) { arguments, context in
        let name = try SharedSpace.checkName(arguments.required("NAME"))
        let library = try await context.library()
        let all = try await library.replica.read { try $0.sharedSpaces.all() }
        let space = try SharedSpace.find(arguments.required("SPACE"), in: all)
        guard space.role ?? .viewer >= .admin else {
            throw UserError.attention(
                "only an owner or an admin renames the space \(space.label)",
                hint: "ask one of them"
            )
        }
        try await library.replica.write {
            try $0.sharedSpaces.rename(space.id, name, at: context.moment())
        }
        context.output.result(
            .object([("space", .text(space.id.description)), ("name", .text(name))])
        ) { "\(space.label) is now '\(name.withoutControls)'\n" }
        return .success
    }
}
