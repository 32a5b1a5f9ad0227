import ProgramKit
import SyncCore

enum DevicesRevokeCommand {
    static let command = Command(
        "devices revoke",
        "ID",
        summary: "revoke a lost device's access, or withdraw a link",
        options: [Option("--force", "allow revoking this device itself")],
        details: """
            A revoked device keeps its data. It can no longer fetch or send anything, and
            later changes of your other devices are signed with a new key. The spaces that
            you share lose it too, at the next sync of one of your devices that is in
            them. Nobody can join by a link that was withdrawn.
            """
    ) { arguments, context in
        let prefix = try IDPrefix(arguments.required("ID"))
        let library = try await context.library()
        let change = MemberChange(
            library: library,
            context: context,
            failure: "nothing was revoked"
        )
        // The cut is at the last change set of the device that this one knows.
        try await change.prepare()
        let now = context.moment()
        let target = try await pick(prefix, library, at: now)
        let name = target.name.withoutControls
        guard !target.isRevoked else {
            return try await tell(target, "'\(name)' is revoked already", library, context)
        }
        let own = try await library.replica.read { try $0.identity.current() }.device
        guard target.id != own || arguments.flag("--force") else {
            throw UserError.attention(
                "'\(name)' is this device; once revoked, it can no longer sync",
                hint: "revoke it from another device, or use --force"
            )
        }
        try await library.replica.write {
            switch target.kind {
            case .link: try $0.controlSealer.withdraw([target.id], at: now)
            case .card: try $0.controlSealer.revoke([target.id], at: now)
            }
        }
        try await change.send { chain in
            switch target.kind {
            case .link: chain.invitations[target.id]?.isClosed == true
            case .card: chain.cards[target.id]?.isLive == false
            }
        }
        let words =
            switch target.kind {
            case .link: "withdrew the link \(target.id.short)"
            case .card: "revoked \(target.id.short) '\(name)'"
            }
        return try await tell(target, words, library, context)
    }

    /// Tells what was revoked, and who is still in whom it had let in.
    ///
    /// A thief may have let them in.
    private static func tell(
        _ target: Target,
        _ words: String,
        _ library: Library,
        _ context: Context
    ) async throws -> ExitCode {
        let others = guests(
            of: target.id,
            among: try await library.replica.read { try $0.devices.listed() }
        )
        context.output.result(
            .object([
                ("revoked", .text(target.id.description)),
                ("letIn", .array(others.map { .text($0.id.description) })),
            ])
        ) { words + "\n" }
        let devices = others.filter { $0.kind != .recovery }
        if !devices.isEmpty {
            let names = devices.map { "\($0.id.short) '\($0.label)'" }.joined(separator: ", ")
            context.output.note("it had let in \(names); revoke any that is not yours")
        }
        for code in others where code.kind == .recovery {
            context.output.note(
                "it had made the recovery code \(code.id); if you did not, add this id to the "
                    + "server's file 'revocations'"
            )
        }
        return .success
    }

    /// The devices and codes that a device let in, and those that these did.
    private static func guests(
        of host: Identifier,
        among all: [ListedDevice]
    ) -> [ListedDevice] {
        var hosts: Set = [host]
        var size = 0
        while hosts.count > size {
            size = hosts.count
            hosts.formUnion(all.filter { $0.voucher.map(hosts.contains) == true }.map(\.id))
        }
        return all.filter { $0.id != host && hosts.contains($0.id) && $0.revoked == nil }
    }

    /// What a person can revoke.
    private struct Target {
        let id: Identifier
        let name: String
        let kind: Kind
        var isRevoked = false

        enum Kind: Sendable {
            case card, link
        }
    }

    private static func pick(
        _ prefix: IDPrefix,
        _ library: Library,
        at now: Moment
    ) async throws -> Target {
        let listed = try await library.replica.read { try $0.devices.listed() }
        let codes = Set(listed.filter { $0.kind == .recovery }.map(\.id))
        let cards = listed.map {
            Target(
                id: $0.id,
                name: codes.contains($0.id) ? $0.label : $0.name ?? "",
                kind: .card,
                isRevoked: $0.revoked != nil
            )
        }
        let links = try await library.replica.read { try $0.devices.links(at: now) }
            .map { Target(id: $0.id, name: "link", kind: .link) }
        let picked = try prefix.pick(
            from: cards + links,
            what: "device or link",
            plural: "devices and links",
            list: "wake devices list",
            id: \.id,
            name: \.name
        )
        guard !codes.contains(picked.id) else {
            throw UserError.attention(
                "\(picked.id.short) is a recovery code: no device can revoke it",
                hint:
                    "destroy its paper; a code that you did not make is shut out by its id in the "
                    + "server's file 'revocations': \(picked.id)"
            )
        }
        return picked
    }
}
