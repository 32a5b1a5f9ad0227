internal import FoundationEssentials

// JSON bodies of the routes other than sync. Bytes are unpadded base64url, identifiers are in their
// text form, times are Unix milliseconds.

/// The request body of `POST /v1/enrol`.
package struct EnrolRequest: Codable, Sendable {
    /// The token derived from the link's secret.
    package var token: String
    /// The device's id, chosen by the device so that it can repeat the request.
    package var device: String
    /// The device's name, as its owner chose it.
    package var name: String
    /// The device's X25519 public key.
    package var key: String
    /// The own space of a device that joined before and brings its data along.
    ///
    /// The server rejects the request if the link is for another person (`forbidden`).
    package var space: String?
}

/// The reply to ``EnrolRequest``.
package struct EnrolReply: Codable, Sendable {
    package var user: String
    package var device: String
    package var keyEpoch: UInt64
    /// The 32-byte device secret, from which device and server derive their keys.
    package var deviceKey: String
    /// The person's own space; absent if the link carries none, as for a person's first device.
    package var space: String?
    /// The space key, wrapped under the link's wrap key.
    package var wrappedKey: String?
    /// The server's MAC over device and user.
    ///
    /// With it, a server restored from a backup that predates the enrolment readmits the device.
    package var receipt: String

    package init(
        user: String,
        device: String,
        keyEpoch: UInt64,
        deviceKey: String,
        space: String?,
        wrappedKey: String?,
        receipt: String
    ) {
        self.user = user
        self.device = device
        self.keyEpoch = keyEpoch
        self.deviceKey = deviceKey
        self.space = space
        self.wrappedKey = wrappedKey
        self.receipt = receipt
    }
}

/// The request body of `PUT /v1/devices/me`, by which a device returns to a server that lost it.
///
/// The device signs the request with its key.
package struct ReadmissionRequest: Codable, Sendable {
    package var user: String
    /// The device's name, as its owner chose it.
    package var name: String
    /// The device's X25519 public key.
    package var key: String
    /// The receipt that the device got at its enrolment.
    package var receipt: String
}

/// The request body of `POST /v1/spaces/{space}/invitations`.
package struct InvitationRequest: Codable, Sendable {
    /// Always `device`: another device of the same person.
    package var kind: String
    package var tokenHash: String
    /// The space key, wrapped under the link's wrap key.
    package var wrappedKey: String
    /// The link's lifetime in seconds, at most seven days.
    package var validSeconds: Int
}

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
