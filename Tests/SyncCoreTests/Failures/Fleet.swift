@testable import SyncCore
import Testing

/// Some devices of one person, and their log.
struct Fleet {
    let devices: [TestDevice]
    var log = LogDouble(keys: TestDevice.spaceKeys)

    /// Makes devices that joined and know of each other.
    init(_ count: UInt64) async throws {
        var devices: [TestDevice] = []
        for number in 1...count { devices.append(try await TestDevice.joined(number)) }
        self.devices = devices
        try await settle(at: Time.start)
    }

    /// Has every device send and fetch all there is: then all hold what the log says.
    mutating func settle(
        at now: Int64,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for device in devices + devices { try await device.settle(&log, at: now) }
        for device in devices {
            let isEqual = try await device.summary.fingerprint == log.fingerprint()
            #expect(isEqual, sourceLocation: sourceLocation)
            let holdsAll = try await device.cells() == log.cells()
            #expect(holdsAll, sourceLocation: sourceLocation)
            let faults = try await device.replica.read { try $0.maintenance.verify() }.faults
            #expect(faults == [], sourceLocation: sourceLocation)
        }
    }

    /// A device that knows nothing yet.
    func newcomer() async throws -> TestDevice {
        try await TestDevice.joined(12)
    }
}

extension [Key: Cell] {
    /// The cells of tracks: a device that just joined has its own key beside what the log says.
    var ofTracks: [Key: Cell] { filter { $0.key.collection == "track" } }
}
