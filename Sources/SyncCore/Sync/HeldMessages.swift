/// A held set in the reply of `GET /v1/spaces/{space}/held`.
package struct HeldRecord: Codable, Sendable, Equatable {
    package var replica: String
    /// The set's sequence within its replica.
    package var sequence: UInt64
    /// Why the set is held, such as `upgrade`.
    package var reason: String
    package var device: String
    /// The device's name, or empty if the server no longer knows the device.
    package var deviceName: String
    package var cells: Int
    /// The time at which the server received the set, in Unix milliseconds; 0 if unknown.
    package var received: Int64

    package init(
        replica: String,
        sequence: UInt64,
        reason: String,
        device: String,
        deviceName: String,
        cells: Int,
        received: Int64
    ) {
        self.replica = replica
        self.sequence = sequence
        self.reason = reason
        self.device = device
        self.deviceName = deviceName
        self.cells = cells
        self.received = received
    }

    private enum CodingKeys: String, CodingKey {
        case replica, sequence, reason, device, cells, received
        case deviceName = "device_name"
    }
}

/// The reply of `GET /v1/spaces/{space}/held`.
package struct HeldList: Codable, Sendable, Equatable {
    /// The held sets in log order, oldest first.
    package var held: [HeldRecord]

    package init(held: [HeldRecord]) { self.held = held }
}

/// The request body of `POST /v1/spaces/{space}/held/{replica}/{sequence}`.
package struct HeldDecisionRequest: Codable, Sendable {
    /// `adopt` or `refuse`.
    package var decision: String

    package init(decision: String) { self.decision = decision }
}
