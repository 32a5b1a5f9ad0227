extension Synchronizer {
    /// Returns the spaces of this device, after removing those that it is not in any more.
    func presentSpaces() async throws -> [SpaceSummary] {
        let (spaces, isDue) = try await replica.read { parts in
            try parts.identity.checkKeys()
            try parts.lineage.checkCursors()
            return (try parts.spaces.all(), try parts.enrolment.hasDepartures())
        }
        guard isDue else { return spaces }
        return try await replica.write { parts in
            try parts.enrolment.settleDepartures(at: now())
            return try parts.spaces.all()
        }
    }

    /// Asks the server whether this device has been shut out of a space; returns whether it has.
    ///
    /// Does not ask about a space that this device founded and no server has hosted yet.
    func hasLearntEnd(of space: Identifier) async throws -> Bool {
        let wasIn = try await replica.read { parts in
            let device = try parts.identity.current().device
            let known = try parts.spaces.all().first { $0.id == space }
            let admitted = try parts.controls.chain(of: space).cards[device]?.term.admitted
            return admitted != nil && (admitted != 0 || known?.merged.position ?? 0 > 0)
        }
        guard wasIn else { return false }
        return try await enroller.usable {
            try await enroller.learnEnd(of: space, with: replica, at: now())
        } ?? false
    }

    /// Brings the user's other devices into the shared spaces of this one; returns whether there is
    /// anything to send for it.
    @discardableResult
    func shareWithOwnDevices() async throws -> Bool {
        guard try await replica.read({ try $0.enrolment.hasSharedSpaces() }) else { return false }
        return try await replica.write { try $0.enrolment.shareWithOwnDevices(at: now()) }
    }

    /// Enters the listed shared spaces that this device is not in yet, as far as the user's other devices
    /// have let it in; returns whether it entered one.
    func enterListedSpaces() async throws -> Bool {
        var hasEntered = false
        for (space, anchor) in try await replica.read({ try $0.enrolment.listedSpaces() }) {
            let isIn = try await enroller.usable {
                do {
                    return try await enroller.enterListed(space, anchor, with: replica, at: now())
                } catch EnrolmentError.otherHistory {
                    try await recordOtherHistory(of: space)
                    return false
                }
            }
            hasEntered = hasEntered || isIn == true
        }
        return hasEntered
    }

    private func recordOtherHistory(of space: Identifier) async throws {
        try await replica.write {
            let own = try $0.spaces.number(ofSpace: try $0.spaces.own())
            let detail = "space \(space): another device of yours knows a different control set"
            try $0.breaches.record(.twoHistories, detail, in: own, at: now().wall)
        }
    }
}
