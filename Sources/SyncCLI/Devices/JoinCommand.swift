import ProgramKit
import SyncCore

enum JoinCommand {
    static let command = Command(
        "join",
        "LINK",
        summary: "join a server, with a link from it or a device",
        options: [
            Option("--new-key", "accept a new key for the server that this device joined"),
            Option("--again", "join again as a new device, with all local data"),
        ],
        details: """
            'wake-server invite' prints a LINK, and so does 'wake devices link' on another
            device. It reads wake://host:port/#secret.key and is valid once. The next sync
            sends what was recorded before.

            The device trusts only the server key in the link. With 'ca' in place of the
            key, it trusts the certificate authorities of this system instead. A link with
            neither is for plain HTTP, which works only on the server's own machine.

            --new-key: a server that lost its key creates a new one. This option accepts it
            from a new link.

            --again: joins a server that lost all its data, or that revoked this device, as
            a new device. Local data is kept, and the next sync sends what the server lacks.
            If the server lost its data, the first device joins with a link from
            'wake-server invite' and syncs. The other devices then join with links from
            'wake devices link' on that first device, so that all belong to one person.
            """
    ) { arguments, context in
        let link = try link(arguments.required("LINK"))
        let library = try await context.library()
        do {
            try await join(link, library, arguments, context)
        } catch let problem as ServerProblem where problem.type == .notFound {
            throw UserError.notFound(
                "\(link.authority) does not enrol devices: \(problem.detail)",
                hint: "check the port of the link: operators and devices use different ports"
            )
        } catch TransportError.noHTTP(let authority) {
            throw UserError.network(
                "\(authority) closed the connection without a response",
                hint:
                    "a link without a key is for plain HTTP; if the server uses TLS, the link lost its "
                    + "end: copy it in full, in quotes"
            )
        }
        return try await tell(link, library, arguments, context)
    }

    private static func join(
        _ link: Link,
        _ library: Library,
        _ arguments: Arguments,
        _ context: Context
    ) async throws {
        guard !arguments.flag("--new-key") else {
            return try await Enroller.takeNewKey(
                from: link,
                into: library.replica,
                client: library.client(context, newTrust: link.trust)
            )
        }
        let enroller = Enroller(transport: context.transport(link.authority, link.trust))
        if arguments.flag("--again") {
            try await enroller.rejoin(link, with: library.replica, at: context.now())
        } else {
            try await enroller.join(link, with: library.replica, at: context.now())
        }
    }

    private static func tell(
        _ link: Link,
        _ library: Library,
        _ arguments: Arguments,
        _ context: Context
    ) async throws -> ExitCode {
        let identity = try await library.replica.read { try $0.identity.current() }
        let space = try await library.replica.read { try $0.spaces.own() }
        let json = JSON.object([
            ("server", .text(link.authority)),
            ("trust", .text(link.trust.description)),
            ("user", .text(identity.user.description)),
            ("device", .text(identity.device.description)),
            ("space", .text(space.description)),
        ])
        context.output.result(json) {
            "'\(identity.name.withoutControls)' "
                + (arguments.flag("--new-key") ? "accepted the new key of" : "joined")
                + " \(link.authority); "
                + "run 'wake sync' to exchange data\n"
        }
        return .success
    }

    private static func link(_ text: String) throws -> Link {
        if let link = Link(text) { return link }
        guard !Link.isCut(text) else {
            throw UserError.usage(
                "the link '\(text)' is incomplete: its end is missing",
                hint: "copy it in full, in quotes; it may continue on the next line"
            )
        }
        throw UserError.usage(
            "'\(text)' is not a link",
            hint:
                "a link looks like wake://host:port/#secret.key; copy it in full, in quotes; a link "
                + "without a key works on the server's own machine only"
        )
    }
}
