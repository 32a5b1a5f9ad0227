internal import SyncCore

extension SQLiteStore {
    func invite(_ invitation: Invitation) async throws {
        try await write { try $0.insertInvitation(invitation) }
    }

    func enter(_ entering: Entering, at now: UnixTime) async throws -> [PushResult] {
        var question = LogQuestion(space: entering.space, asker: nil)
        for set in entering.sets {
            question.insert(set.upload, set.chunks)
            if case .control(let control) = set.content { question.insert(control) }
        }
        return try await decide(question, at: now, preparing: entering) { decision in
            entering.sets.map { decision.enter($0) }
        }
    }

    func chain(of space: Identifier) async throws -> ControlChain? {
        guard let end = try tables.endIfHosted(of: space) else { return nil }
        do {
            return try tables.chain(of: space, end)
        } catch StoreError.brokenControls where isServing {
            let damaged = Set(try tables.controlPositions(in: space, from: 0))
            try await tellRepaired(repair(damaged, in: space) ?? [], in: space)
            return try tables.chain(of: space, end)
        }
    }

    func controls(of space: Identifier, from index: UInt64) async throws -> [[UInt8]] {
        let positions = try tables.controlPositions(in: space, from: index)
        let found = try await entries(of: space, at: positions, for: nil, byteLimit: .max)
        for bytes in found where try LogEntry(decoding: bytes[...]).body == nil {
            throw StoreError.brokenControls
        }
        return found
    }

    func space(ofCard card: Identifier) async throws -> Identifier? {
        guard let user = try tables.device(card)?.user else { return nil }
        return try tables.ownSpace(of: user)
    }

    func device(_ id: Identifier) async throws -> Device? { try tables.device(id) }

    func raiseKeyEpoch(of device: Identifier, above epoch: UInt64) async throws -> Device? {
        try await write { tables in
            try tables.database.run(
                """
                UPDATE device SET key_epoch = \(epoch + 1)
                WHERE device_id = \(device) AND key_epoch <= \(epoch)
                """
            )
            return try tables.device(device)
        }
    }

    func devices(of user: Identifier) async throws -> [Device] { try tables.devices(of: user) }

    func isRevoked(_ device: Identifier) async throws -> Bool {
        try database.first("SELECT 1 FROM revocation WHERE device_id = \(device)") { _ in true }
            ?? false
    }

    func replayRevocations(_ devices: [Identifier]) async throws {
        try await write { tables in
            for device in devices { try tables.revoke(device) }
        }
    }

    func useNonce(_ nonce: String, of device: Identifier, at now: UnixTime) async throws -> Bool {
        let oldest = now.milliseconds - StoreLimits.nonceMilliseconds
        return try await write { tables in
            try tables.database.run("DELETE FROM nonce WHERE seen < \(oldest)")
            let inserted = try tables.database.run(
                """
                INSERT INTO nonce (device_id, nonce, seen)
                VALUES (\(device), \(nonce), \(now.milliseconds))
                ON CONFLICT DO NOTHING
                """
            )
            return inserted == 1
        }
    }

    func spaces(of device: Identifier) async throws -> [Membership] {
        try database.all(
            """
            SELECT s.space_id, m.role, s.head FROM card c JOIN member m USING (space_id, user_id)
            JOIN space s USING (space_id)
            WHERE c.device_id = \(device) AND c.ended = 0 ORDER BY s.space_id
            """
        ) {
            Membership(
                space: $0.id(0),
                role: Role(rawValue: $0.text(1)) ?? .viewer,
                head: $0.unsigned(2)
            )
        }
    }
}
