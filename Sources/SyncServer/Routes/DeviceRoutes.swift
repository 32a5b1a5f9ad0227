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
                    .filter { $0.kind == .device }
                return HTTPResponse(200, json: DeviceList(devices: devices.map(DeviceRecord.init)))
            }
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
