import ProgramKit
import SyncCore

enum DevicesListCommand {
    static let command = Command(
        "devices list",
        summary: "list devices and links, and who let them in",
        details: """
            Works without a network: the list follows from signed records of your devices,
            which the server cannot alter.
            """
    ) { _, context in
        let library = try await context.library()
        let devices = try await library.replica.read { try $0.devices.listed() }
        let own = try await library.replica.read { try $0.identity.current() }.device
        let now = context.moment()
        let links = try await library.replica.read { try $0.devices.links(at: now) }
        let preferences = try await library.preferences()
        context.output.result(
            .object([
                ("devices", .array(devices.map { $0.json(own: own) })),
                ("links", .array(links.map(\.json))),
            ]),
            table: Table(
                columns: [
                    .whole("id"), .left("name"), .whole("since (UTC)"), .left("let in by"),
                    .whole(""),
                ],
                rows: devices.map { $0.cells(own: own, devices, preferences) }
                    + links.map { $0.cells(devices, preferences) }
            )
        )
        return .success
    }
}

extension ListedDevice {
    fileprivate func json(own: Identifier) -> JSON {
        .object([
            ("id", .text(id.description)),
            ("name", .text(name ?? "")),
            ("kind", .text(kind.rawValue)),
            ("enrolled", .time(since)),
            ("voucher", .text(voucher?.description)),
            ("isRevoked", .bool(revoked != nil)),
            ("revoked", .time(revoked)),
            ("isThisDevice", .bool(id == own)),
        ])
    }

    fileprivate func cells(
        own: Identifier,
        _ all: [ListedDevice],
        _ preferences: Preferences
    ) -> [String] {
        let remark = revoked.map { "revoked \(preferences.time($0))" }
        let inviter = voucher.map { Self.label(of: $0, all) }
        return [
            id.short, label, preferences.time(since), inviter ?? "first device",
            remark ?? (id == own ? "this device" : ""),
        ]
    }

    fileprivate static func label(of id: Identifier, _ all: [ListedDevice]) -> String {
        all.first { $0.id == id }?.label ?? id.short
    }

    /// What a person calls it.
    var label: String {
        kind == .recovery ? "recovery code" : (name ?? "?").withoutControls
    }
}

extension ListedLink {
    fileprivate var json: JSON {
        .object([
            ("id", .text(id.description)),
            ("maker", .text(maker.description)),
            ("expires", .time(expires)),
        ])
    }

    fileprivate func cells(_ devices: [ListedDevice], _ preferences: Preferences) -> [String] {
        [
            id.short, "link", "", ListedDevice.label(of: maker, devices),
            "until \(preferences.time(expires))",
        ]
    }
}
