extension Synchronizer {
    /// Returns the spaces that this device is in, as far as it knows.
    func presentSpaces() async throws -> [SpaceSummary] {
        try await replica.read { parts in
            try parts.identity.checkKeys()
            try parts.lineage.checkCursors()
            return try parts.enrolment.presentSpaces()
        }
    }

    /// Learns from the server whether this device is in a space no more; returns whether.
    func hasLearntEnd(of space: Identifier) async throws -> Bool {
        let isKnown = try await replica.read { parts in
            try parts.spaces.all().contains { $0.id == space && $0.merged.position > 0 }
        }
        guard isKnown else { return false }
        return try await enroller.learnEnd(of: space, with: replica, at: now())
    }

    /// Brings the user's other devices into the shared spaces of this one; returns whether there is
    /// anything to send for it.
    @discardableResult
    func shareWithOwnDevices() async throws -> Bool {
        guard try await replica.read({ try $0.enrolment.hasSharedSpaces() }) else { return false }
        return try await replica.write { try $0.enrolment.shareWithOwnDevices(at: now()) }
    }

    /// Enters the shared spaces that other devices of the user list, as far as these have let this one
    /// in; returns whether it entered one.
    func enterListedSpaces() async throws -> Bool {
        var hasEntered = false
        for (space, anchor) in try await replica.read({ try $0.enrolment.listedSpaces() }) {
            do {
                let isIn = try await enroller.enterListed(space, anchor, with: replica, at: now())
                hasEntered = hasEntered || isIn
            } catch EnrolmentError.otherHistory {
                try await replica.write {
                    let own = try $0.spaces.number(ofSpace: try $0.spaces.own())
                    let detail =
                        "\(space), of which another device of yours knows another control set"
                    try $0.breaches.record(.twoHistories, detail, in: own, at: now().wall)
                }
            } catch let problem as ServerProblem where problem.type?.remedy != .retry {
                // Not let in yet, or the server has lost the space; others bring it back.
                continue
            }
        }
        return hasEntered
    }
}
