import ProgramKit
import SyncCore

enum DevicesListCommand {
    static let command = Command(
        "devices list",
        summary: "list your devices, and who let each of them in",
        details: """
            Works without a network: the list follows from signed records of your devices,
            which the server cannot alter.
            """
    ) { _, context in
        let library = try await context.library()
        let devices = try await library.replica.read { try $0.devices.listed() }
        let own = try await library.replica.read { try $0.identity.current() }.device
        let preferences = try await library.preferences()
        context.output.result(
            .object([("devices", .array(devices.map { $0.json(own: own) }))]),
            table: Table(
                columns: [
                    .whole("id"), .left("name"), .whole("since (UTC)"), .left("let in by"),
                    .left(""),
                ],
                rows: devices.map { $0.cells(own: own, devices, preferences) }
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
        let inviter = voucher.map { voucher in
            all.first { $0.id == voucher }?.label ?? voucher.short
        }
        return [
            String(id.description.prefix(8)), label, preferences.time(since),
            inviter ?? "the first device", remark ?? (id == own ? "this device" : ""),
        ]
    }

    fileprivate var label: String {
        kind == .recovery ? "recovery code" : (name ?? "?").withoutControls
    }
}
