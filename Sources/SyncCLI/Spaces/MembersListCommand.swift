import ProgramKit
import SyncCore

enum MembersListCommand {
    static let command = Command(
        "members list",
        summary: "list the people in a shared space",
        details: """
            Name the space with '--space NAME'. Works without a network: the list follows
            from signed records, which the server cannot alter. A person is shown by the
            names of their devices.
            """
    ) { _, context in
        let library = try await context.library()
        let space = try library.sharedSpace("whose members you want to see")
        let members = try await library.replica.read { try $0.members.all(in: space) }
        let preferences = try await library.preferences()
        context.output.result(
            .object([("members", .array(members.map(\.json)))]),
            table: Table(
                columns: [
                    .whole("id"), .left("devices"), .whole("role"), .whole("since (UTC)"),
                    .whole(""),
                ],
                rows: members.map { $0.cells(preferences) }
            )
        )
        return .success
    }
}

extension SpaceMember {
    fileprivate var json: JSON {
        .object([
            ("id", .text(id.description)),
            ("role", .text(role.rawValue)),
            ("devices", .array(devices.map { .text($0) })),
            ("since", .time(since)),
            ("isYou", .bool(isSelf)),
        ])
    }

    fileprivate func cells(_ preferences: Preferences) -> [String] {
        [
            id.short, names, role.rawValue, since.map(preferences.time) ?? "",
            isSelf ? "you" : "",
        ]
    }

    /// The names of the person's devices, for people.
    var names: String {
        devices.isEmpty ? "?" : devices.map(\.withoutControls).joined(separator: ", ")
    }

    /// What the person is called in messages.
    var label: String { "\(id.short) (\(names))" }
}
