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
        let now = context.now()
        let (device, isLink) = try await pick(prefix, library, at: now)
        guard !device.isRevoked else {
            return tell(device.id, "'\(device.name.withoutControls)' is revoked already", context)
        }
        let own = try await library.replica.read { try $0.identity.current() }.device
        guard device.id != own || arguments.flag("--force") else {
            throw UserError.attention(
                "'\(device.name)' is this device; once revoked, it can no longer sync",
                hint: "revoke it from another device, or use --force"
            )
        }
        try await library.replica.write {
            if isLink {
                try $0.controlSealer.withdraw([device.id], at: now)
            } else {
                try $0.controlSealer.revoke([device.id], at: now)
            }
        }
        try await change.send { chain in
            isLink
                ? chain.invitations[device.id]?.isClosed == true
                : chain.cards[device.id]?.isLive == false
        }
        return tell(
            device.id,
            isLink
                ? "withdrew the link \(device.id.short)"
                : "revoked \(device.id.short) '\(device.name.withoutControls)'",
            context
        )
    }

    private static func tell(_ id: Identifier, _ words: String, _ context: Context) -> ExitCode {
        context.output.result(.object([("revoked", .text(id.description))])) { words + "\n" }
        return .success
    }

    private static func pick(
        _ prefix: IDPrefix,
        _ library: Library,
        at now: UnixTime
    ) async throws -> (device: (id: Identifier, name: String, isRevoked: Bool), isLink: Bool) {
        let devices = try await library.replica.read { try $0.devices.listed() }
            .filter { $0.kind == .device }
            .map { (id: $0.id, name: $0.name ?? "", isRevoked: $0.revoked != nil) }
        let links = try await library.replica.read { try $0.devices.links(at: now) }
            .map { (id: $0.id, name: "link", isRevoked: false) }
        let picked = try prefix.pick(
            from: devices + links,
            what: "device or link",
            plural: "devices and links",
            list: "wake devices list",
            id: \.id,
            name: \.name
        )
        return (picked, links.contains { $0.id == picked.id })
    }
}
