internal import SyncCore

extension Service {
    var heldRoutes: [Operation] { [heldList, heldSettlement] }

    private var heldList: Operation {
        signed(
            "GET",
            "/v1/spaces/{space}/held",
            name: "held.list",
            Description(
                summary: "Lists held change sets, at most the oldest 1,000",
                gives: [.with(.json(HeldList.schema))],
                problems: [.forbidden]
            )
        ) { context, caller in
            let space = try context.identifier("space")
            let held = try await store.held(in: space, for: caller.device.id)
            return HTTPResponse(200, json: HeldList(held: held.map(HeldRecord.init)))
        }
    }

    private var heldSettlement: Operation {
        signed(
            "POST",
            "/v1/spaces/{space}/held/{replica}/{sequence}",
            name: "held.settle",
            Description(
                summary: "Adopts a held set at a new position, or refuses it permanently",
                isOnce: true,
                takes: .control(HeldDecisionRequest.schema),
                gives: [.done],
                problems: [.forbidden]
            )
        ) { context, caller in
            try await settle(context, caller)
            return HTTPResponse(204)
        }
    }

    private func settle(_ context: RequestContext, _ caller: Caller) async throws {
        let request = try context.json(HeldDecisionRequest.self)
        guard let decision = HeldDecision(rawValue: request.decision) else {
            throw Problem(.badEncoding, "the decision must be 'adopt' or 'refuse'")
        }
        let set = ReplicaSequence(
            replica: try context.identifier("replica"),
            sequence: try context.sequence("sequence")
        )
        let space = try context.identifier("space")
        try await store.settle(set, in: space, decision, by: caller.device, at: now())
    }
}

extension RequestContext {
    /// Parses a sequence in the path; only the canonical spelling is accepted.
    fileprivate func sequence(_ name: String) throws -> UInt64 {
        guard let number = UInt64(self[name]), number > 0, number <= Int64.max,
            "\(number)" == self[name]
        else { throw Problem(.notFound, "no such \(name)") }
        return number
    }
}

extension HeldRecord {
    fileprivate init(_ set: HeldSet) {
        self.init(
            replica: set.replica.description,
            sequence: set.sequence,
            reason: set.reason,
            device: set.device.description,
            deviceName: set.deviceName,
            cells: set.cellCount,
            received: set.received.milliseconds
        )
    }
}
