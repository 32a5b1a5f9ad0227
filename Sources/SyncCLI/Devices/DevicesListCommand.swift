import ProgramKit
import SyncCore

enum DevicesListCommand {
    static let command = Command(
        "devices list",
        summary: "list your devices as the server knows them"
    ) { _, context in
        let library = try await context.library()
        let client = try await library.client(context)
        let records = try await client.devices()
        let own = try await library.replica.read { try $0.identity.current() }.device
        let preferences = try await library.preferences()
        context.output.result(
            .object([("devices", .array(records.map { $0.json(own: own) }))]),
            table: Table(
                columns: [.whole("id"), .left("name"), .whole("since (UTC)"), .left("")],
                rows: records.map { $0.cells(own: own, preferences) }
            )
        )
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
