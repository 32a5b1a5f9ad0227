internal import SyncCore

extension Service {
    var deviceRoutes: [Route] {
        [
            Route("GET", "/v1/devices", name: "device.list") { context in
                let caller = try await authenticator.caller(of: context)
                let devices = try await store.devices(of: caller.user)
                return HTTPResponse(200, json: DeviceList(devices: devices.map(DeviceRecord.init)))
            },
            Route("DELETE", "/v1/devices/{device}", name: "device.revoke") { context in
                let caller = try await authenticator.callerOnce(of: context)
                try await revoke(try context.identifier("device"), of: caller.user)
                return HTTPResponse(204)
            },
        ]
    }

    /// First beside the store, then in it: after a crash in between the device is shut out when
    /// the server starts again.
    private func revoke(_ device: Identifier, of user: Identifier) async throws {
        let present = try await store.device(device)
        if let present, present.user == user, !present.isRevoked { try noteRevocation(device) }
        try await Problem.translating { try await store.revoke(device, of: user) }
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
