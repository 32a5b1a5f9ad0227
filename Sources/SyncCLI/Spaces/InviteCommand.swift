import ProgramKit
import SyncCore

enum InviteCommand {
    private static let roles: [Role] = [.viewer, .contributor, .editor, .admin]

    static let command = Command(
        "invite",
        summary: "print a link that lets people into a shared space",
        options: [
            Option("--role ROLE", "viewer, contributor, editor (default) or admin"),
            Option("--uses N", "how many people may use the link (default: 1)"),
            Option("--hours N", "how long the link is valid, up to four weeks (default: 72)"),
        ],
        details: """
            Name the space with '--space NAME'. The others run 'wake join LINK'. Anyone who
            has the link can read the space, so send it to nobody else. The server never
            sees the secret in it. The command also syncs, because the server must know of
            the link.
            """
    ) { arguments, context in
        let (role, uses) = try (role(arguments), arguments.integer("--uses", in: 1...500) ?? 1)
        let hours = try arguments.integer("--hours", in: 1...672) ?? 72
        let library = try await context.library()
        let space = try library.sharedSpace("to invite into")
        let change = MemberChange(
            library: library,
            context: context,
            shared: space,
            failure: "no link was made"
        )
        try await change.prepare()
        try await library.checkRight(to: "invites here", over: [role], in: space)
        var random = context.random
        let draft = try await Enroller.link(
            for: library.replica,
            to: space,
            as: role,
            uses: UInt64(uses),
            validSeconds: hours * 3600,
            at: context.moment(),
            using: &random
        )
        let invitation = draft.secret.keys.publicKeys.invitation
        try await change.send { $0.invitations[invitation]?.isOpen == true }
        let link = try await Enroller.anchored(draft, for: library.replica)
        LinkPage.show(link, validSeconds: hours * 3600, context.output)
        context.output.note(
            "valid for \(hours.counted("hour")), for \(uses.counted("person", "people")) as "
                + "\(role.rawValue); they run 'wake join LINK'"
        )
        return .success
    }

    private static func role(_ arguments: Arguments) throws -> Role {
        guard let text = arguments.option("--role") else { return .editor }
        guard let role = Role(rawValue: text), roles.contains(role) else {
            throw UserError.usage(
                "'\(text)' is not a role that a link can give",
                hint: "use \(roles.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return role
    }
}
