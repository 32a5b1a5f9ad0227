import ProgramKit
import SyncCore

enum DevicesRevokeCommand {
    static let command = Command(
        "devices revoke",
        "ID",
        summary: "revoke the access of a lost device",
        options: [Option("--force", "allow revoking this device itself")],
        details: """
            A revoked device keeps its data. It can no longer fetch or send anything.
            """
    ) { arguments, context in
        let prefix = try IDPrefix(arguments.required("ID"))
        let library = try await context.library()
        let client = try await library.client(context)
        let devices = try await client.devices().compactMap { record in
            Identifier(record.id).map { (id: $0, name: record.name) }
        }
        let device = try prefix.pick(
            from: devices,
            what: "device",
            plural: "devices",
            list: "wake devices list",
            id: \.id,
            name: \.name
        )
        let own = try await library.replica.read { try $0.identity.current() }.device
        guard device.id != own || arguments.flag("--force") else {
            throw UserError.attention(
                "'\(device.name)' is this device; once revoked, it can no longer sync",
                hint: "revoke it from another device, or use --force"
            )
        }
        try await client.revoke(device.id)
        context.output.result(.object([("revoked", .text(device.id.description))])) {
            "revoked \(device.id.short) '\(device.name.withoutControls)'\n"
        }
        return .success
    }
}
