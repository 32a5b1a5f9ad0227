internal import ProgramKit
internal import SyncCore

enum DevicesListCommand {
    static let command = Command(
        "devices list",
        summary: "list the devices of all spaces, and who let each one in",
        details: """
            The ids are those that the file 'revocations' takes. A device that was let in by
            a stolen one is to be revoked as well. The server may keep running.
            """
    ) { _, context in
        let folder = try DataFolder(existing: try context.dataFolder())
        let keys = ServerKeys(master: try folder.presentMasterKey())
        let store = try folder.openExistingStore(receipts: keys.receiptSecret)
        let devices = try await store.readSnapshot { try $0.devices() }
        context.output.result(
            .object([("devices", .array(devices.map(\.json)))]),
            table: Table(
                columns: [
                    .whole("device"), .left("name"), .whole("since (UTC)"), .left("let in by"),
                    .whole(""),
                ],
                rows: devices.map { $0.cells(among: devices) }
            )
        )
        return .success
    }
}

extension HostedDevice {
    fileprivate var json: JSON {
        .object([
            ("space", .text(space.description)),
            ("id", .text(id.description)),
            ("name", .text(name)),
            ("kind", .text(kind.rawValue)),
            ("since", .text(since.iso8601)),
            ("voucher", .text(voucher?.description)),
            ("isRevoked", .bool(isRevoked)),
        ])
    }

    fileprivate func cells(among all: [HostedDevice]) -> [String] {
        let inviter = voucher.map { voucher in
            all.first { $0.id == voucher }?.label ?? voucher.description
        }
        return [
            id.description, label, String(since.iso8601.prefix(10)), inviter ?? "first device",
            isRevoked ? "revoked" : "",
        ]
    }

    private var label: String {
        if kind == .recovery { return "recovery code" }
        return name.isEmpty ? "?" : name.withoutControls
    }
}
