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
                let device = try context.identifier("device")
                try await Problem.translating {
                    try await store.revoke(device, of: caller.user)
                }
                try noteRevocation(device)
                return HTTPResponse(204)
            },
        ]
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
