import ProgramKit
import SyncCore

enum DevicesRevokeCommand {
    static let command = Command(
        "devices revoke",
        "ID",
        summary: "revoke the access of a lost device, or withdraw a link",
        options: [Option("--force", "allow revoking this device itself")],
        details: """
            A revoked device keeps its data. It can no longer fetch or send anything, and
            later changes of your other devices are signed with a new key. Nobody can join
            by a link that was withdrawn.
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
        let target = try await pick(prefix, library, at: now.wall)
        let name = target.name.withoutControls
        guard !target.isRevoked else {
            return tell(target.id, "'\(name)' is revoked already", context)
        }
        let own = try await library.replica.read { try $0.identity.current() }.device
        guard target.id != own || arguments.flag("--force") else {
            throw UserError.attention(
                "'\(name)' is this device; once revoked, it can no longer sync",
                hint: "revoke it from another device, or use --force"
            )
        }
        try await library.replica.write {
            if target.isLink {
                try $0.controlSealer.withdraw([target.id], at: now)
            } else {
                try $0.controlSealer.revoke([target.id], at: now)
            }
        }
        try await change.send { chain in
            target.isLink
                ? chain.invitations[target.id]?.isClosed == true
                : chain.cards[target.id]?.isLive == false
        }
        if target.isLink { return tell(target.id, "withdrew the link \(target.id.short)", context) }
        let code = tell(target.id, "revoked \(target.id.short) '\(name)'", context)
        try await warnOfOthers(letInBy: target, library, context)
        return code
    }

    private static func tell(_ id: Identifier, _ words: String, _ context: Context) -> ExitCode {
        context.output.result(.object([("revoked", .text(id.description))])) { words + "\n" }
        return .success
    }

    /// Names the devices and codes that a revoked device let in, which stay in.
    ///
    /// Whoever stole the device may have let them in.
    private static func warnOfOthers(
        letInBy target: Target,
        _ library: Library,
        _ context: Context
    ) async throws {
        let others = try await library.replica.read { try $0.devices.listed() }
            .filter { $0.voucher == target.id && $0.revoked == nil }
        guard !others.isEmpty else { return }
        let names = others.map { "\($0.id.short) '\($0.label)'" }.joined(separator: ", ")
        context.output.note("it had let in \(names); revoke any device that is not yours")
    }

    /// What a person can revoke.
    private struct Target {
        let id: Identifier
        let name: String
        var isRevoked = false
        var isLink = false
        var isCode = false
    }

    private static func pick(
        _ prefix: IDPrefix,
        _ library: Library,
        at now: UnixTime
    ) async throws -> Target {
        let cards = try await library.replica.read { try $0.devices.listed() }.map {
            let isCode = $0.kind == .recovery
            return Target(
                id: $0.id,
                name: isCode ? $0.label : $0.name ?? "",
                isRevoked: $0.revoked != nil,
                isCode: isCode
            )
        }
        let links = try await library.replica.read { try $0.devices.links(at: now) }
            .map { Target(id: $0.id, name: "link", isLink: true) }
        let picked = try prefix.pick(
            from: cards + links,
            what: "device or link",
            plural: "devices and links",
            list: "wake devices list",
            id: \.id,
            name: \.name
        )
        guard !picked.isCode else {
            throw UserError.attention(
                "\(picked.id.short) is a recovery code: no device can revoke it",
                hint: "keep its paper safe, or destroy it: the code works for whoever has it"
            )
        }
        return picked
    }
}
