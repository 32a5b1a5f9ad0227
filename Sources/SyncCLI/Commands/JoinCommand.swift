import SyncCore

extension Commands {
    static let join = Command(
        "join",
        "LINK",
        summary: "take this device to a server, with a link",
        details: """
            LINK is what 'wake-server invite' or, on another device, 'wake devices link' printed:
            wake://host:port/#secret. It is good once. What was recorded before goes along.
            """
    ) { arguments, context in
        let text = arguments.required("LINK")
        guard let link = Link(text) else {
            throw Complaint(
                .usage,
                "'\(text)' is no link",
                hint: "it reads wake://host:port/#secret, and the shell wants it in quotes"
            )
        }
        let library = try await context.library()
        let enroller = Enroller(transport: context.transport(link.authority))
        do {
            try await enroller.join(link, with: library.replica, at: context.now())
        } catch let problem as ServerProblem where problem.type == .notFound {
            throw Complaint(
                .notFound,
                "\(link.authority) lets no device in: \(problem.detail)",
                hint: "see the port of the link: the operators' one is not the devices'"
            )
        }
        let identity = try await library.replica.identity()
        let space = try await library.replica.ownSpace()
        let json = JSON.object([
            ("server", .text(link.authority)),
            ("user", .text(identity.user.description)),
            ("device", .text(identity.device.description)),
            ("space", .text(space.description)),
        ])
        context.output.result(json) {
            "'\(identity.name.withoutControls)' joined \(link.authority); "
                + "'wake sync' exchanges what is new\n"
        }
        return .success
    }
}
