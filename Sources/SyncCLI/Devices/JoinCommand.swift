import ProgramKit
import SyncCore

enum JoinCommand {
    static let command = Command(
        "join",
        "LINK",
        summary: "take this device to a server, with a link",
        options: [
            Option("--new-key", "take another key for the server that was joined already"),
            Option("--again", "join as a new device, with everything that is here"),
        ],
        details: """
            LINK is what 'wake-server invite' or, on another device, 'wake devices link' printed:
            wake://host:port/#secret.key. It is good once. What was recorded before goes along.
            The key is the only one that this device takes for the server's; 'ca' in its place
            leaves that to the authorities that this system trusts. A link without either is for
            plain HTTP, which is refused but on the server's own machine.
            A server that lost its key makes a new one: '--new-key' takes that from a new link.
            A server that lost everything, or revoked this device, takes it as a new one with
            '--again': what is here stays, and the next sync brings what the server lacks. The first
            device comes back with a link of 'wake-server invite'; after its sync each of the others
            with one of 'wake devices link' on it, so that all are one person's.
            """
    ) { arguments, context in
        let link = try link(arguments.required("LINK"))
        let library = try await context.library()
        do {
            try await join(link, library, arguments, context)
        } catch let problem as ServerProblem where problem.type == .notFound {
            throw UserError(
                .notFound,
                "\(link.authority) does not enrol devices: \(problem.detail)",
                hint: "check the port of the link: operators and devices use different ports"
            )
        } catch TransportError.noHTTP(let authority) {
            throw UserError(
                .network,
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
                + (arguments.flag("--new-key") ? "takes another key of" : "joined")
                + " \(link.authority); "
                + "'wake sync' exchanges what is new\n"
        }
        return .success
    }

    private static func link(_ text: String) throws -> Link {
        if let link = Link(text) { return link }
        guard !Link.isCut(text) else {
            throw UserError(
                .usage,
                "the link '\(text)' is incomplete: its end is missing",
                hint: "copy it in full, in quotes; it may continue on the next line"
            )
        }
        throw UserError(
            .usage,
            "'\(text)' is not a link",
            hint:
                "a link looks like wake://host:port/#secret.key; copy it in full, in quotes; a link "
                + "without a key works on the server's own machine only"
        )
    }
}
