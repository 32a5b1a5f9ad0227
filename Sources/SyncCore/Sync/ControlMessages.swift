// The JSON of the routes that are not sync: bytes as unpadded base64url, identifiers as they are
// shown, times as Unix milliseconds.

/// `POST /v1/enrol`.
package struct EnrolRequest: Codable, Sendable {
    /// The token that is derived from the link's secret.
    package var token: String
    /// The device's id, made by itself, so that the request can be repeated.
    package var device: String
    /// What the person calls it.
    package var name: String
    /// Its X25519 public key.
    package var key: String
    /// The own space of a device that brings one along: a link to another one does not let it in.
    package var space: String?
}

/// The answer to ``EnrolRequest``.
package struct EnrolReply: Codable, Sendable {
    /// The person.
    package var user: String
    /// The device.
    package var device: String
    /// Which of the device's keys this is.
    package var keyEpoch: UInt64
    /// The 32 bytes from which device and server derive their keys.
    package var deviceKey: String
    /// The person's own space; absent for the first device.
    package var space: String?
    /// Its key, wrapped under the link's secret.
    package var wrappedKey: String?
    /// The server's MAC over device and person, with which the device is let in again by a server
    /// that was put back to a time before its enrolment.
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

/// `PUT /v1/devices/me`, signed by the device's key: a device that the server lost comes back.
package struct ReadmissionRequest: Codable, Sendable {
    /// The person.
    package var user: String
    /// What the person calls the device.
    package var name: String
    /// Its X25519 public key.
    package var key: String
    /// The receipt of its enrolment.
    package var receipt: String
}

/// `POST /v1/spaces/{space}/invitations`.
package struct InvitationRequest: Codable, Sendable {
    /// `device`: a further device of the person who asks.
    package var kind: String
    /// The SHA-256 of the token.
    package var tokenHash: String
    /// The space key under the other key that is derived from the link's secret.
    package var wrappedKey: String
    /// How long the link is good for, at most seven days.
    package var validSeconds: Int
}

/// One device in the answer of `GET /v1/devices`.
package struct DeviceRecord: Codable, Sendable, Equatable {
    /// The device.
    package var id: String
    /// What the person calls it.
    package var name: String
    /// When it was enrolled.
    package var enrolled: Int64
    /// Whether it was revoked.
    package var isRevoked: Bool

    package init(id: String, name: String, enrolled: Int64, isRevoked: Bool) {
        self.id = id
        self.name = name
        self.enrolled = enrolled
        self.isRevoked = isRevoked
    }
}

/// The answer of `GET /v1/devices`.
package struct DeviceList: Codable, Sendable, Equatable {
    /// The person's devices in the order of their enrolment.
    package var devices: [DeviceRecord]

    package init(devices: [DeviceRecord]) {
        self.devices = devices
    }
}

/// One space in the answer of `GET /v1/spaces`.
package struct SpaceRecord: Codable, Sendable, Equatable {
    /// The space.
    package var id: String
    /// The asking person's role there.
    package var role: String
    /// The last position of its log.
    package var head: UInt64

    package init(id: String, role: String, head: UInt64) {
        self.id = id
        self.role = role
        self.head = head
    }
}

/// The answer of `GET /v1/spaces`.
package struct SpaceList: Codable, Sendable, Equatable {
    /// The spaces that the person is a member of.
    package var spaces: [SpaceRecord]

    package init(spaces: [SpaceRecord]) {
        self.spaces = spaces
    }
}
