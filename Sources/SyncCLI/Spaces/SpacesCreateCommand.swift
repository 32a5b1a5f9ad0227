import ProgramKit
import SyncCore

enum SpacesCreateCommand {
    static let command = Command(
        "spaces create",
        "NAME",
        summary: "create a space to share with other people",
        details: """
            You are its owner. 'wake invite --space NAME' makes a link for others. Works
            without a network; the next sync brings it to the server.
            """
    ) { arguments, context in
        let name = try SharedSpace.checkName(arguments.required("NAME"))
        let library = try await context.library()
        let known = try await library.replica.read { try $0.sharedSpaces.all() }
        guard !known.contains(where: { $0.name == name }) else {
            throw UserError.attention(
                "this device has a space '\(name.withoutControls)' already",
                hint: "choose another name"
            )
        }
        let id = try await library.replica.write {
            try $0.sharedSpaces.found(named: name, at: context.moment())
        }
        context.output.result(
            .object([("space", .text(id.description)), ("name", .text(name))])
        ) {
            "created the space '\(name.withoutControls)' (\(id.short)); 'wake sync' brings it to the "
                + "server\n"
        }
        return .success
    }
}
