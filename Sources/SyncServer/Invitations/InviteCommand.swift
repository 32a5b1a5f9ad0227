internal import ProgramKit
internal import SyncCore

enum InviteCommand {
    static let command = Command(
        "invite",
        "NAME",
        summary: "print a link for the first device of a new person",
        options: [.authority],
        details: """
            The link works once, within seven days. The server may keep running. Further
            devices of the person get their links from that device.
            """
    ) { arguments, context in
        let name = try name(arguments)
        let authority = try arguments.authority()
        let data = try context.dataFolder()
        try await DataFolder.waitForStart(
            at: data,
            sleep: { try await Task.sleep(for: .milliseconds($0)) },
            onLongWait: {
                context.output.note(
                    "wake-server: a server is starting on \(data); waiting up to a minute"
                )
            }
        )
        try await invite(name, in: DataFolder(existing: data), authority: authority, context)
        return .success
    }

    private static func invite(
        _ name: String,
        in folder: DataFolder,
        authority: String?,
        _ context: ServerContext
    ) async throws {
        let keys = ServerKeys(master: try folder.masterKey(random: Server.randomSecret))
        let store = try await folder.openStore(keys)
        let link = try link(to: folder, authority: authority)
        let validMilliseconds = Int64(RequestLimits.invitationSeconds) * 1000
        let expires = UnixTime(milliseconds: context.now().milliseconds + validMilliseconds)
        try await store.invite(
            Invitation(token: Digest(of: link.secret.token), name: name, expires: expires)
        )
        context.output.result(
            .object([("link", .text(link.description)), ("expires", .text(expires.iso8601))])
        ) { "\(link)\n" }
        context.output.note("on \(name)'s first device, within seven days: wake join LINK")
    }

    private static func link(to folder: DataFolder, authority: String?) throws -> Link {
        guard let address = try folder.address else {
            throw DataFolderError.noAddress(path: folder.path)
        }
        if case .pinned = address.trust { try folder.requireTLSKey() }
        let link = Link(
            authority: authority ?? address.authority,
            secret: LinkSecret(Replica.randomIdentifier()),
            trust: address.trust
        )
        guard Link(link.description) == link else {
            throw ConfigurationError.plainElsewhere(link.authority)
        }
        return link
    }

    /// Returns the person's name, which is shown on terminals.
    static func name(_ arguments: Arguments) throws -> String {
        let name = arguments.required("NAME")
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard (1...RequestLimits.nameBytes).contains(name.utf8.count), isPlain,
            !name.allSatisfy(\.isWhitespace)
        else { throw ConfigurationError.badName(name.utf8.count) }
        return name
    }
}
