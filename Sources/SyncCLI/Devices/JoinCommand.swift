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
            Option("--recovery CODE", "restore all data by a recovery code; '-' asks for it"),
        ],
        details: """
            'wake-server invite' prints a LINK, and so do 'wake devices link' on another of
            your devices and 'wake invite' of somebody who shares a space. It reads
            wake://host:port/#secret.key and is valid once, unless it says otherwise. The
            next sync sends what was recorded before. A shared space stays apart from
            your own: see 'wake spaces list'.

            The device trusts only the server key in the link. With 'ca' in place of the
            key, it trusts the certificate authorities of this system instead. A link with
            neither is for plain HTTP, which works only on the server's own machine.

            --new-key: a server that lost its key, or everything, creates a new one. This
            option accepts it from a new link and brings back what the server lacks.

            --again: joins as a new device, for example after this one was revoked. Local
            data is kept. The link comes from another of your devices; a link from the
            server works only if this device was not revoked.

            --recovery: the LINK is then the address that was printed with the code, or any
            link of that server. It also enters the spaces that you share, if one of your
            devices has synced them since the code was made.
            """
    ) { arguments, context in
        let ways =
            ["--new-key", "--again"].filter(arguments.flag)
            + (arguments.option("--recovery") == nil ? [] : ["--recovery"])
        guard ways.count <= 1 else {
            throw UserError.usage(ways.joined(separator: " and ") + " cannot be used together")
        }
        let library = try await context.library()
        if let typed = arguments.option("--recovery") {
            let location = try location(arguments.required("LINK"))
            let code = try code(typed, context)
            return try await reporting(location.authority) {
                try await recover(by: code, location, library, context)
            }
        }
        let link = try link(arguments.required("LINK"))
        return try await reporting(link.authority) {
            try await join(link, library, arguments, context)
        }
    }

    /// Runs a join and explains errors that only the address causes.
    private static func reporting(
        _ authority: String,
        _ join: () async throws -> ExitCode
    ) async throws -> ExitCode {
        do {
            return try await join()
        } catch let problem as ServerProblem where problem.type == .notFound {
            throw UserError.notFound(
                "\(authority) does not enrol devices: \(problem.detail)",
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
    }

    private static func join(
        _ link: Link,
        _ library: Library,
        _ arguments: Arguments,
        _ context: Context
    ) async throws -> ExitCode {
        let enroller = Enroller(
            transport: context.transport(link.authority, link.trust),
            for: link
        )
        if arguments.flag("--new-key") {
            try await takeNewKey(from: link, library, enroller, context)
            return try await tell("accepted the new key of", link.authority, library, context)
        }
        if arguments.flag("--again") {
            try await enroller.rejoin(link, with: library.replica, at: context.moment())
            return try await tell("joined", link.authority, library, context)
        }
        let shared = try await enroller.join(
            link,
            with: library.replica,
            at: context.moment()
        )
        if let shared { return try await tellShared(shared, link.authority, library, context) }
        let own = library.own
        let hasCode = try await library.replica.read {
            try $0.controls.chain(of: $0.spaces.own()).hasRecoveryCode
        }
        let space = try await library.replica.read { try $0.spaces.own() }
        // A person's first device has founded the space itself.
        guard space == own, !hasCode else {
            return try await tell("joined", link.authority, library, context)
        }
        return try await tellFirst(link, library, context)
    }

    /// Reports that this device has entered a shared space.
    private static func tellShared(
        _ space: Identifier,
        _ authority: String,
        _ library: Library,
        _ context: Context
    ) async throws -> ExitCode {
        let all = try await library.replica.read { try $0.sharedSpaces.all() }
        let role = all.first { $0.id == space }?.role?.rawValue
        context.output.result(
            .object([
                ("server", .text(authority)),
                ("space", .text(space.description)),
                ("role", .text(role)),
            ])
        ) {
            "entered a shared space of \(authority) as \(role ?? "member"); run 'wake sync' to fetch "
                + "it, then 'wake spaces list'\n"
        }
        return .success
    }

    /// Accepts the server of a link in the place of the one that has the same address.
    private static func takeNewKey(
        from link: Link,
        _ library: Library,
        _ enroller: Enroller,
        _ context: Context
    ) async throws {
        let (authority, trust) = try await library.server()
        guard authority == link.authority else {
            throw UserError.attention(
                "the link is for \(link.authority), but this device has joined \(authority)",
                hint: "--new-key is for the same address; use --again for another server"
            )
        }
        guard trust != link.trust, link.trust != .plain else {
            throw UserError.attention(
                "the link has the key of \(authority) that this device knows already",
                hint: "'wake sync' exchanges data; use --again if the server revoked this device"
            )
        }
        do {
            try await enroller.host(with: library.replica, at: context.moment())
        } catch let problem as ServerProblem
            where problem.type == .unauthorized && link.invitation == nil
        {
            // The server has lost the space, and its receipts with its master key.
            let token = link.secret.token
            try await enroller.host(token: token, with: library.replica, at: context.moment())
        }
    }

    /// Joins by a recovery code, unless a server knows this device already, and enters the shared
    /// spaces that know the code.
    private static func recover(
        by code: RecoveryCode,
        _ location: ServerLocation,
        _ library: Library,
        _ context: Context
    ) async throws -> ExitCode {
        let enroller = Enroller(
            transport: context.transport(location.authority, location.trust),
            authority: location.authority,
            trust: location.trust
        )
        let identity = try await library.replica.read { try $0.identity.current() }
        let isIn =
            identity.authority != nil && identity.trouble != ProblemType.unauthorized.rawValue
        if !isIn {
            try await enroller.recover(by: code, with: library.replica, at: context.moment())
        }
        let isElsewhere = isIn && identity.authority != location.authority
        let spaces =
            isElsewhere
            ? [] : try await enterSpaces(by: code, enroller, library, context, isAgain: isIn)
        guard !isIn || !spaces.isEmpty else {
            throw UserError.attention(
                "this device has already joined \(identity.authority ?? "a server")",
                hint:
                    "a code is for a device that has not joined, or that its server refuses: 'wake sync' "
                    + "tells whether it does"
            )
        }
        let (members, text) = try await report("joined", location.authority, library)
        let all = JSON.array(spaces.map { .text($0.description) })
        context.output.result(.object(members + [("spaces", all)])) {
            spaces.isEmpty
                ? text
                : text + "entered \(spaces.count.counted("shared space")), see 'wake spaces list'\n"
        }
        return .success
    }

    /// Fetches the list of the person's shared spaces, and enters those that know the code.
    private static func enterSpaces(
        by code: RecoveryCode,
        _ enroller: Enroller,
        _ library: Library,
        _ context: Context,
        isAgain: Bool
    ) async throws -> [Identifier] {
        do {
            let client = try await library.client(context)
            let report = try await SyncCommand.exchange(library, client, context)
            if let error = report.userError, report.result.end != .complete { throw error }
            return try await enroller.enterListedSpaces(
                by: code,
                with: library.replica,
                at: context.moment()
            )
        } catch let error as UserError where !isAgain {
            context.output.warn(
                "the shared spaces are not here yet: \(error.message); run the same command again"
            )
            return []
        }
    }

    private static func tell(
        _ done: String,
        _ authority: String,
        _ library: Library,
        _ context: Context
    ) async throws -> ExitCode {
        let (members, text) = try await report(done, authority, library)
        context.output.result(.object(members)) { text }
        return .success
    }

    /// Reports a person's first join with a recovery code, which counts from the next sync on.
    private static func tellFirst(
        _ link: Link,
        _ library: Library,
        _ context: Context
    ) async throws -> ExitCode {
        var random = context.random
        let code = RecoveryCode(using: &random)
        let location = ServerLocation(authority: link.authority, trust: link.trust)
        let (members, text) = try await report("joined", link.authority, library)
        let now = context.moment()
        // A code that was printed must not be forgotten.
        try await library.replica.write { try $0.controlSealer.add(code, at: now) }
        context.output.result(
            .object(members + [("recoveryCode", .text(code.description))])
        ) { text + "\n" + RecoveryCommand.text(of: code, location) }
        context.output.note("the code works once 'wake sync' has sent it")
        return .success
    }

    private static func report(
        _ done: String,
        _ authority: String,
        _ library: Library
    ) async throws -> (members: [(String, JSON)], text: String) {
        let identity = try await library.replica.read { try $0.identity.current() }
        let space = try await library.replica.read { try $0.spaces.own() }
        let members: [(String, JSON)] = [
            ("server", .text(authority)),
            ("trust", .text(identity.trust?.description)),
            ("user", .text(identity.user.description)),
            ("device", .text(identity.device.description)),
            ("space", .text(space.description)),
        ]
        let text =
            "'\(identity.name.withoutControls)' \(done) \(authority); run 'wake sync' to exchange "
            + "data\n"
        return (members, text)
    }

    private static func link(_ text: String) throws -> Link {
        if let link = Link(text) { return link }
        guard !Link.isCut(text) else {
            throw UserError.usage(
                "the link '\(text)' is incomplete: its end is missing",
                hint: "copy it in full, in quotes; it may continue on the next line"
            )
        }
        guard ServerLocation(text) == nil else {
            throw UserError.usage(
                "'\(text)' is the address of a server, not a link",
                hint: "with a recovery code, use 'wake join ADDRESS --recovery CODE'"
            )
        }
        throw UserError.usage(
            "'\(text)' is not a link",
            hint:
                "a link looks like wake://host:port/#secret.key; copy it in full, in quotes; a link "
                + "without a key works on the server's own machine only"
        )
    }

    private static func location(_ text: String) throws -> ServerLocation {
        guard let location = ServerLocation(text) else {
            throw UserError.usage(
                "'\(text)' is not the address of a server",
                hint: "an address looks like wake://host:port/#.key; copy it in full, in quotes"
            )
        }
        return location
    }

    /// Reads the code from the command line or, for `-`, from standard input.
    private static func code(_ typed: String, _ context: Context) throws -> RecoveryCode {
        var text = typed
        if typed == "-" {
            context.output.note("type the recovery code:")
            text = String(decoding: try context.input(), as: UTF8.self)
        }
        guard let code = RecoveryCode(text) else {
            throw UserError.usage(
                "that is not a recovery code, or it is mistyped",
                hint: "a code has 8 groups of 4 letters and digits; nothing was changed"
            )
        }
        return code
    }
}
