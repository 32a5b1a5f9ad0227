internal import FoundationEssentials

// JSON bodies of the routes other than sync. Bytes are unpadded base64url, identifiers are in their
// text form, times are Unix milliseconds.

/// A device in the reply of `GET /v1/devices`.
package struct DeviceRecord: Codable, Sendable, Equatable {
    package var id: String
    /// The device's name, as its owner chose it.
    package var name: String
    package var enrolled: Int64
    package var isRevoked: Bool

    package init(id: String, name: String, enrolled: Int64, isRevoked: Bool) {
        self.id = id
        self.name = name
        self.enrolled = enrolled
        self.isRevoked = isRevoked
    }
}

/// The reply of `GET /v1/devices`.
package struct DeviceList: Codable, Sendable, Equatable {
    /// The person's devices, oldest enrolment first.
    package var devices: [DeviceRecord]

    package init(devices: [DeviceRecord]) { self.devices = devices }
}

/// A space in the reply of `GET /v1/spaces`.
package struct SpaceRecord: Codable, Sendable, Equatable {
    package var id: String
    /// The requesting person's role in the space.
    package var role: String
    /// The last position of the space's log.
    package var head: UInt64

    package init(id: String, role: String, head: UInt64) {
        self.id = id
        self.role = role
        self.head = head
    }
}

/// The reply of `GET /v1/spaces`.
package struct SpaceList: Codable, Sendable, Equatable {
    package var spaces: [SpaceRecord]

    package init(spaces: [SpaceRecord]) { self.spaces = spaces }
}

extension HTTPRequest {
    init(_ method: String, _ path: String, json message: some Encodable) throws {
        let body = Array(try JSONEncoder().encode(message))
        self.init(method, path, headers: ["content-type": "application/json"], body: body)
    }
}
