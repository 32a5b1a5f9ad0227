import ProgramKit
import SyncCore

enum MembersRemoveCommand {
    static let command = Command(
        "members remove",
        "ID",
        summary: "remove a person from a shared space",
        details: """
            Name the space with '--space NAME'. Changes that the person has sent stay; later
            ones wait for you: see 'wake held'. Their devices delete the space at their next
            sync. A device that does not sync keeps its data, but gets nothing later: the
            space gets a new key. Links for several people are withdrawn too.
            """
    ) { arguments, context in
        let prefix = try IDPrefix(arguments.required("ID"))
        let library = try await context.library()
        let space = try library.sharedSpace("to remove somebody from")
        let change = MemberChange(
            library: library,
            context: context,
            shared: space,
            failure: "nobody was removed"
        )
        try await change.prepare()
        let member = try await library.member(prefix, of: space)
        guard !member.isSelf else {
            throw UserError.attention(
                "\(member.label) is you",
                hint: "'wake spaces leave' takes you out of a space"
            )
        }
        try await library.checkRight(to: "removes this member", over: [member.role], in: space)
        let now = context.moment()
        try await library.keepingAnOwner {
            try $0.controlSealer.remove(member.id, from: space, at: now)
        }
        try await change.send { $0.roles[member.id] == nil }
        context.output.result(.object([("removed", .text(member.id.description))])) {
            "removed \(member.label)\n"
        }
        context.output.note(
            "the space has a new key; their devices delete the data at their next sync"
        )
        return .success
    }
}
