import ProgramKit
import SyncCore

enum MembersRoleCommand {
    static let command = Command(
        "members role",
        "ID ROLE",
        summary: "give a member of a shared space another role",
        details: """
            Name the space with '--space NAME'. ROLE is viewer, contributor, editor, admin
            or owner. Data written in the earlier role stays valid. If the new role is a
            smaller one, changes that the member has not sent yet wait for an admin, but for
            those that the new role allows: see 'wake held'.
            """
    ) { arguments, context in
        let (prefix, role) = (
            try IDPrefix(arguments.required("ID")), try role(arguments.required("ROLE"))
        )
        let library = try await context.library()
        let space = try library.sharedSpace("whose member gets another role")
        let change = MemberChange(
            library: library,
            context: context,
            shared: space,
            failure: "the role was not changed"
        )
        try await change.prepare()
        let member = try await library.member(prefix, of: space)
        let now = context.moment()
        if member.role != role {
            try await library.checkRight(
                to: "gives these roles",
                over: [member.role, role],
                in: space
            )
            try await library.keepingAnOwner {
                try $0.controlSealer.setRole(of: member.id, to: role, in: space, at: now)
            }
            try await change.send { $0.roles[member.id] == role }
        }
        context.output.result(
            .object([("member", .text(member.id.description)), ("role", .text(role.rawValue))])
        ) { "\(member.label) is \(role.rawValue) now\n" }
        return .success
    }

    private static func role(_ text: String) throws -> Role {
        guard let role = Role(rawValue: text) else {
            throw UserError.usage(
                "'\(text)' is not a role",
                hint: "use " + Role.allCases.map(\.rawValue).joined(separator: ", ")
            )
        }
        return role
    }
}
