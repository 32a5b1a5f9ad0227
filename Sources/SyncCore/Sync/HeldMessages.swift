/// One set in the answer of `GET /v1/spaces/{space}/held`.
package struct HeldRecord: Codable, Sendable, Equatable {
    /// The incarnation of the writer's database.
    package var replica: String
    /// The set's place there.
    package var sequence: UInt64
    /// Why it is held, such as `upgrade`.
    package var reason: String
    /// The device that sealed it.
    package var device: String
    /// What its person calls that; empty where it is not known any more.
    package var deviceName: String
    /// How many cells it has.
    package var cells: Int
    /// When the server got it; 0 where that was not noted.
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

/// The answer of `GET /v1/spaces/{space}/held`.
package struct HeldList: Codable, Sendable, Equatable {
    /// The sets in the order in which they came.
    package var held: [HeldRecord]

    package init(held: [HeldRecord]) {
        self.held = held
    }
}

/// `POST /v1/spaces/{space}/held/{replica}/{sequence}`.
package struct HeldDecisionRequest: Codable, Sendable {
    /// `adopt` or `refuse`.
    package var decision: String

    package init(decision: String) {
        self.decision = decision
    }
}
