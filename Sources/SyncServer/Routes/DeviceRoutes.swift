internal import SyncCore

extension Service {
    var deviceRoutes: [Operation] {
        [
            signed(
                "GET",
                "/v1/devices",
                name: "device.list",
                Description(
                    summary: "Lists the caller's devices",
                    gives: [.with(.json(DeviceList.schema))]
                )
            ) { _, caller in
                let devices = try await store.devices(of: caller.user)
                return HTTPResponse(200, json: DeviceList(devices: devices.map(DeviceRecord.init)))
            },
            signed(
                "DELETE",
                "/v1/devices/{device}",
                name: "device.revoke",
                Description(
                    summary: "Revokes one of the caller's devices permanently",
                    isOnce: true,
                    gives: [.done]
                )
            ) { context, caller in
                try await revoke(try context.identifier("device"), of: caller.user)
                return HTTPResponse(204)
            },
        ]
    }

    /// Records the revocation in the file first, then in the store.
    ///
    /// After a crash in between, the next start applies it to the store.
    private func revoke(_ device: Identifier, of user: Identifier) async throws {
        let present = try await store.device(device)
        if let present, present.user == user, !present.isRevoked { try noteRevocation(device) }
        try await store.revoke(device, of: user)
    }
}

extension DeviceRecord {
    fileprivate init(_ device: Device) {
        self.init(
            id: device.id.description,
            name: device.name,
            enrolled: device.enrolled.milliseconds,
            isRevoked: device.isRevoked
        )
    }
}
