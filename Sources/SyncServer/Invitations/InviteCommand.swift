internal import ProgramKit
internal import SyncCore

enum InviteCommand {
    static let command = Command(
        "invite",
        "[NAME]",
        summary: "print a link for the first device of a new person",
        options: [
            Option("--space SPACE", "for the owner of SPACE, whom no device can invite"),
            .authority,
        ],
        details: """
            The link works once, within seven days. The server may keep running.
            """
    ) { arguments, context in
        let guest = try Guest(arguments)
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
        try await invite(guest, in: DataFolder(existing: data), authority: authority, context)
        return .success
    }

    /// The person for whom a link is made.
    enum Guest: Equatable {
        /// A new person with this name.
        case new(name: String)
        /// The owner of this space, who has no device left that could invite another.
        case owner(of: Identifier)
    }

    private static func invite(
        _ guest: Guest,
        in folder: DataFolder,
        authority: String?,
        _ context: ServerContext
    ) async throws {
        let keys = ServerKeys(master: try folder.masterKey(random: Server.randomSecret))
        let store = try await folder.openStore(keys)
        let link = try link(to: folder, authority: authority)
        let user =
            switch guest {
            case .new: Replica.randomIdentifier()
            case .owner(let space): try await owner(of: space, in: store)
            }
        let validMilliseconds = Int64(RequestLimits.invitationSeconds) * 1000
        let expires = UnixTime(milliseconds: context.now().milliseconds + validMilliseconds)
        let invitation = Invitation(
            token: Digest(of: link.secret.token),
            user: user,
            space: nil,
            wrappedKey: nil,
            expires: expires
        )
        switch guest {
        case .new(let name): try await store.addUser(user, name: name, invitation: invitation)
        case .owner: try await store.invite(invitation, by: user)
        }
        tell(link, to: guest, expires: expires, context.output)
    }

    private static func link(to folder: DataFolder, authority: String?) throws -> Link {
        guard let address = try folder.address else {
            throw DataFolderError.noAddress(path: folder.path)
        }
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

    private static func owner(
        of space: Identifier,
        in store: any Store
    ) async throws -> Identifier {
        do {
            return try await store.owner(of: space)
        } catch StoreError.notFound {
            throw UserError.failure(
                "this server has no space with that id",
                hint: "use 'wake-server invite NAME': the device joins and brings its data along"
            )
        }
    }

    private static func tell(_ link: Link, to guest: Guest, expires: UnixTime, _ output: Output) {
        output.result(
            .object([("link", .text(link.description)), ("expires", .text(expires.iso8601))])
        ) { "\(link)\n" }
        switch guest {
        case .new(let name):
            output.note("on \(name)'s first device, within seven days: wake join LINK")
        case .owner:
            output.note(
                "on a device that has this space, within seven days: wake join --again LINK"
            )
        }
    }
}

extension InviteCommand.Guest {
    init(_ arguments: Arguments) throws {
        let name = arguments.optional("NAME")
        let command = InviteCommand.command.name
        if let text = arguments.option("--space") {
            if let name { throw UsageError.surplus(name, command: command) }
            guard let space = Identifier(text) else { throw ConfigurationError.notSpace(text) }
            self = .owner(of: space)
            return
        }
        guard let name else { throw UsageError.missing("NAME", command: command) }
        let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard (1...RequestLimits.nameBytes).contains(name.utf8.count), isPlain,
            !name.allSatisfy(\.isWhitespace)
        else { throw ConfigurationError.badName(name.utf8.count) }
        self = .new(name: name)
    }
}
