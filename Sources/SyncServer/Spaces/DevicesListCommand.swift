internal import ProgramKit
internal import SyncCore

enum DevicesListCommand {
    static let command = Command(
        "devices list",
        summary: "list devices of all spaces, and who let them in",
        details: """
            The ids are those that the file 'revocations' takes. Also revoke each device
            that a stolen device let in. The server may keep running.
            """
    ) { _, context in
        let folder = try DataFolder(existing: try context.dataFolder())
        let keys = ServerKeys(master: try folder.presentMasterKey())
        let store = try folder.openExistingStore(
            receipts: keys.receiptSecret,
            warn: context.output.warn
        )
        let noted = Set(try folder.revocations)
        let (listed, damaged) = try await store.readSnapshot { try $0.allDevices() }
        let shutOut = try await store.readSnapshot { try $0.revocations() }.union(noted)
        let devices = listed.map { $0.shutOut(by: shutOut) }
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
        for space in damaged {
            context.output.warn(
                "the devices of space \(space) are not listed: a control set is damaged; "
                    + "'wake-server doctor' tells more"
            )
        }
        return damaged.isEmpty ? .success : .attention
    }
}

extension StoreSnapshot {
    /// Returns the devices of all spaces, and the spaces whose control sets cannot be read.
    fileprivate func allDevices() throws -> (devices: [HostedDevice], damaged: [Identifier]) {
        var (devices, damaged): ([HostedDevice], [Identifier]) = ([], [])
        for space in try spaces().map(\.space) {
            do {
                devices += try self.devices(of: space)
            } catch {
                damaged.append(space)
            }
        }
        return (devices, damaged)
    }
}

extension HostedDevice {
    /// The same device, revoked as well if it is one of these.
    fileprivate func shutOut(by revocations: Set<Identifier>) -> HostedDevice {
        var device = self
        device.isRevoked = isRevoked || revocations.contains(id)
        return device
    }

    fileprivate var json: JSON {
        .object([
            ("space", .text(space.description)),
            ("id", .text(id.description)),
            ("name", .text(name)),
            ("kind", .text(kind.rawValue)),
            ("enrolled", .text(since.iso8601)),
            ("voucher", .text(voucher?.description)),
            ("isRevoked", .bool(isRevoked)),
        ])
    }

    /// Names are chosen by devices, and two may be equal: the inviter's id stands before its name.
    fileprivate func cells(among all: [HostedDevice]) -> [String] {
        let inviter = voucher.map { voucher in
            let known = all.first { $0.id == voucher && $0.space == space }
            return known.map { "\(voucher.description.prefix(8)) \($0.label)" }
                ?? voucher.description
        }
        return [
            id.description, label, String(since.iso8601.prefix(10)), inviter ?? "first device",
            isRevoked ? "revoked" : "",
        ]
    }

    /// The name shown in lists.
    private var label: String {
        if kind == .recovery { return "recovery code" }
        return name.isEmpty ? "?" : name.withoutControls
    }
}
