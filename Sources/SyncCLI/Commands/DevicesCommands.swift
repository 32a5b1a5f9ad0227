import ProgramKit
import SyncCore

extension Commands {
    static let devicesList = Command(
        "devices list",
        summary: "list your devices, as the server knows them"
    ) { _, context in
        let library = try await context.library()
        let client = try await library.client(context)
        let records = try await client.devices()
        let own = try await library.replica.identity().device
        let preferences = try await library.preferences()
        let output = context.output
        output.result(
            .object([("devices", .array(records.map { $0.json(own: own) }))])
        ) {
            Table(
                columns: [.whole("id"), .left("name"), .whole("since (UTC)"), .left("")],
                rows: records.map { $0.cells(own: own, preferences) }
            ).text(columns: output.columns, isColoured: output.isColoured)
        }
        return .success
    }

    static let devicesLink = Command(
        "devices link",
        summary: "print a link and its QR code that let another device in once",
        options: [Option("--minutes N", "how long the link is good for, up to a week (60)")],
        details: """
            On the other device: 'wake join LINK'. Who has the link can read all that is yours,
            so show it to nobody else; the server never sees its secret.
            """
    ) { arguments, context in
        let minutes = try arguments.integer("--minutes", in: 1...10_080) ?? 60
        let library = try await context.library()
        let client = try await library.client(context)
        try await client.register(library.space)
        var random = context.random
        let link = try await Enroller.link(
            for: library.replica,
            client: client,
            validSeconds: minutes * 60,
            using: &random
        )
        let output = context.output
        output.result(
            .object([
                ("link", .text(link.description)), ("validSeconds", .integer(minutes * 60)),
            ])
        ) {
            let code = output.isQuiet ? nil : QRCode(link.description)
            return "\(link)\n" + (code.map { "\n" + $0.text(isColoured: output.isColoured) } ?? "")
        }
        output.note("good once, for \(minutes.counted("minute")): 'wake join LINK'")
        return .success
    }

    static let devicesRevoke = Command(
        "devices revoke",
        "ID",
        summary: "take a lost device's access away",
        options: [Option("--force", "also this device itself")],
        details: """
            The device keeps what it has and can fetch and send nothing more.
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
        let own = try await library.replica.identity().device
        guard device.id != own || arguments.flag("--force") else {
            throw UserError(
                .attention,
                "'\(device.name)' is this device, which could not sync any more",
                hint: "revoke it from another device, or with --force"
            )
        }
        try await client.revoke(device.id)
        context.output.result(.object([("revoked", .text(device.id.description))])) {
            "revoked \(device.id.short) '\(device.name.withoutControls)'\n"
        }
        return .success
    }
}

extension DeviceRecord {
    fileprivate func json(own: Identifier) -> JSON {
        .object([
            ("id", .text(id)),
            ("name", .text(name)),
            ("enrolled", .time(UnixTime(milliseconds: enrolled))),
            ("isRevoked", .bool(isRevoked)),
            ("isThisDevice", .bool(id == own.description)),
        ])
    }

    fileprivate func cells(own: Identifier, _ preferences: Preferences) -> [String] {
        let remark = isRevoked ? "revoked" : id == own.description ? "this device" : ""
        let since = preferences.time(UnixTime(milliseconds: enrolled))
        return [String(id.prefix(8)), name, since, remark]
    }
}
