import ProgramKit
import SyncCore

enum SpacesLeaveCommand {
    static let command = Command(
        "spaces leave",
        "SPACE",
        summary: "leave a shared space with all your devices",
        details: """
            Sends your changes first. Changes that your other devices have not sent yet do
            not count; those devices move them to your own space. The data of the space is
            deleted from your devices, so first copy what you want to keep:
            'wake tracks copy ID --from SPACE'. The only owner cannot leave. Links for
            several people are withdrawn, as you may have them.
            """
    ) { arguments, context in
        let library = try await context.library()
        let all = try await library.replica.read { try $0.sharedSpaces.all() }
        let space = try SharedSpace.find(arguments.required("SPACE"), in: all)
        guard space.role != nil else {
            throw UserError.attention("you are not in the space \(space.label) any more")
        }
        let change = MemberChange(
            library: library,
            context: context,
            shared: space.id,
            failure: "you are still in the space",
            isLeaving: true
        )
        try await change.prepare()
        let hasUnsent = try await library.replica.read {
            try $0.queue.hasUnsent(in: space.id) || $0.unsealed.hasChanges(in: space.id)
        }
        guard !hasUnsent else {
            throw UserError.attention(
                "the server has not taken all that you wrote in \(space.label)",
                hint: "'wake refused' lists what it refused; 'wake sync' sends the rest"
            )
        }
        let user = try await library.replica.read { try $0.identity.current() }.user
        let now = context.moment()
        try await library.keepingAnOwner { try $0.controlSealer.leave(space.id, at: now) }
        try await change.send { $0.roles[user] == nil }
        try await library.replica.write {
            try $0.enrolment.settleDepartures(at: context.moment())
        }
        context.output.result(.object([("left", .text(space.id.description))])) {
            "left the space \(space.label)\n"
        }
        return .success
    }
}
