/// What a server answered to a device that it admitted.
package struct Enrolment: Sendable {
    /// `host:port` of the server.
    package let authority: String
    package let trust: ServerTrust
    /// The MAC keys that the device shares with the server.
    package let deviceKeys: DeviceKeys
    /// The control sets of the own space, as log entries.
    package let controls: [[UInt8]]

    package init(
        authority: String,
        trust: ServerTrust,
        deviceKeys: DeviceKeys,
        controls: [[UInt8]]
    ) {
        (self.authority, self.trust) = (authority, trust)
        (self.deviceKeys, self.controls) = (deviceKeys, controls)
    }
}

/// The device that this database becomes when it enters a space, and the set by which it enters.
///
/// Stored before anything is sent, so that the same device enters after a lost answer.
package struct Entrance: Sendable {
    /// The id of the link, or of the card that vouches for the device.
    package let door: Identifier
    /// The keys of the link; nil for a card, whose keys this device does not keep.
    package let link: KeyPairs?
    package let keys: KeyPairs
    /// The replica id under which the set is sealed.
    package let replica: Identifier
    /// The control set; nil until the chain of the space is known.
    package let set: Seal.Sealed?

    var withoutSet: Entrance {
        Entrance(door: door, link: link, keys: keys, replica: replica, set: nil)
    }

    /// The set as a push item.
    package var item: PushItem? { self.set.map { PushItem(upload: $0.upload, body: $0.body) } }
}

/// Makes this database a device of a server, or another device of the user.
package struct DeviceEnrolment: ReplicaPart {
    package let context: ReplicaContext

    /// Stores that the server hosts the own space of this database, with this device.
    package func host(_ enrolment: Enrolment, at now: Moment) throws {
        let isFirst = try identity.current().authority == nil
        let known = try identity.deviceKeys().epoch
        try become(enrolment)
        if try identity.deviceKeys().epoch != known { try sets.authenticateWaiting() }
        let own = try spaces.number(ofSpace: try spaces.own())
        if try !adopt(enrolment.controls, in: own, at: now.wall) {
            try overlay.takeNewReplicaID()
            try events.record(.rebased, "space \(try spaces.own())", at: now.wall)
        }
        try controlSealer.redoLost(in: own, at: identity.current().time(at: now))
        if isFirst { try devices.publish(in: spaces.own(), at: now) }
    }

    /// Enters the own space of the user, as the device and by the set of an entrance.
    ///
    /// All data stays. Unsealed changes are sealed under the new ids, in that space. Sets that its
    /// log lacks are offered.
    ///
    /// - Parameter secret: the secret of the newest key epoch.
    package func enter(
        _ space: Identifier,
        by entrance: Entrance,
        _ enrolment: Enrolment,
        secret: EpochSecret,
        at now: Moment
    ) throws {
        let before = try identity.current()
        let own = try spaces.own()
        for number in try database.all("SELECT number FROM space", read: { $0.integer(0) }) {
            try rebase.giveUpLog(of: number, at: now.wall)
        }
        try signedHeads.signOwn()
        if own != space { try exchangeSpace(own, for: space) }
        let number = try spaces.number(ofSpace: space)
        try overlay.takeReplicaID(entrance.replica)
        try database.run("DELETE FROM device_key")
        try become(enrolment)
        try takeKeys(entrance.keys)
        // Who enters as a new device by a link or a code has chosen whom to join. The operator's link
        // says nothing of that: the old keys vouch for the new ones.
        let isChosen = ![entrance.keys.publicKeys.device, entrance.door].contains(before.device)
        _ = try adopt(enrolment.controls, in: number, trusting: isChosen, at: now.wall)
        try database.setKey(of: space, epoch: secret.epoch, secret.secret)
        try controls.learnSecrets(of: space)
        try continueReplica(after: entrance, in: number)
        try controlSealer.redoLost(in: number, at: identity.current().time(at: now))
        try reissueUnsent(of: before.device, in: number)
        let user = try controls.chain(ofSpace: number).user ?? before.user
        try database.run("UPDATE self SET user = \(user)")
        try database.run(
            "UPDATE entrance SET replica = \(newIdentifier()), upload = NULL, body = NULL"
        )
        try moveRows(from: .user(before.user), to: .user(user))
        try moveRows(from: .device(before.device), to: .device(entrance.keys.publicKeys.device))
        try devices.publish(in: space, at: now)
    }

    /// Issues what a device that was revoked had sealed and not sent again, as the new device.
    private func reissueUnsent(of device: Identifier, in space: Int64) throws {
        guard let card = try controls.chain(ofSpace: space).cards[device], !card.isLive else {
            return
        }
        let unsent = try database.all(
            """
            SELECT number, upload, body FROM sealed
            WHERE space = \(space) AND own = 1 AND verdict IS NULL AND reissued = 0 ORDER BY number
            """
        ) { try sets.queuedSet($0) }
        let writes = unsent.isEmpty ? [:] : try overlay.lastWrites(in: space)
        var rows: Set<Key> = []
        for set in unsent where set.upload.header.device == device {
            if set.upload.isControl {
                try database.run(
                    "UPDATE sealed SET control = NULL, reissued = 2 WHERE number = \(set.number)"
                )
            } else {
                let later = try overlay.keysWrittenLater(than: set, writes)
                rows.formUnion(try overlay.reissue(set, in: space, butNot: later))
            }
        }
        try overlay.rebuild(rows, in: space)
    }

    /// Stores the server and the keys that this device shares with it.
    func become(_ enrolment: Enrolment) throws {
        try database.run(
            """
            UPDATE self
                SET authority = \(enrolment.authority), trust = \(enrolment.trust.description),
                trouble = NULL
            """
        )
        try database.addDeviceKeys(enrolment.deviceKeys.secrets)
    }

    private func takeKeys(_ keys: KeyPairs) throws {
        try database.run(
            """
            UPDATE self
                SET device = \(keys.publicKeys.device), signing_key = \(keys.signing.seed.bytes),
                agreement_key = \(keys.agreement.secret.bytes), anchor = NULL, last_sync = NULL
            """
        )
    }

    /// Stores the accepted control sets that the server sent, and continues the control chain.
    ///
    /// Returns false if the server had another chain, which this database follows now.
    ///
    /// - Parameter isTrusted: whether to follow devices that were revoked in an earlier chain. Throws
    ///   ``ReplicaError/revivedDevice(_:newcomers:)`` for one of them otherwise.
    func adopt(
        _ entries: [[UInt8]],
        in space: Int64,
        trusting isTrusted: Bool = false,
        at now: UnixTime
    ) throws -> Bool {
        var isSameChain = true
        let id = try database.first("SELECT id FROM space WHERE number = \(space)") { $0.id(0) }
        guard let id else { throw ReplicaError.damagedRecord }
        if !isTrusted { try checkAuthors(of: entries, in: id) }
        for bytes in entries {
            let (set, entry) = try accepted(bytes, in: id)
            let number = try store(entry, set.upload, in: space)
            let chain = try controls.chain(ofSpace: space)
            let known = chain.hash(ofFirst: set.place.index + 1)
            guard known != set.hash else { continue }
            if known != nil {
                try rebase.giveUpLog(of: space, at: now)
                let names = try backfill.follow(from: set.place.index, in: space)
                if let names { try events.record(.leftOut, names, at: now) }
                isSameChain = false
            }
            try controls.merge(set, number: number, into: space)
        }
        if isTrusted { try controls.forgetOthers(in: space) }
        try controls.learnSecrets(of: id)
        return isSameChain
    }

    /// Throws ``ReplicaError/revivedDevice(_:newcomers:)`` if a control set that the server sent, and
    /// this database did not merge, is of a device that was revoked before.
    package func checkAuthors(of entries: [[UInt8]], in id: Identifier) throws {
        let space = try spaces.number(ofSpace: id)
        let chain = try controls.chain(ofSpace: space)
        let sets = try entries.map { try accepted($0, in: id).set }
        var returned: Set<Identifier> = []
        for set in sets where chain.hash(ofFirst: set.place.index + 1) != set.hash {
            // A member who was let in again may act from there on.
            guard !returned.contains(set.author) else { continue }
            let revived = try controls.revived(by: set, in: space)
            guard let revived else {
                let newcomers = set.body.actions.compactMap(\.newcomer?.device)
                if newcomers.contains(set.author) { returned.insert(set.author) }
                continue
            }
            let known = chain.cards
            let newcomers = sets.flatMap(\.body.actions).compactMap(\.newcomer?.device)
            throw ReplicaError.revivedDevice(
                revived,
                newcomers: newcomers.filter { known[$0] == nil }
            )
        }
    }

    /// Parses an accepted control set that the server sent.
    private func accepted(
        _ bytes: [UInt8],
        in space: Identifier
    ) throws -> (set: ControlSet, entry: LogEntry) {
        let parsed = try ParsedEntry(bytes)
        guard parsed.verdict == .accepted, parsed.upload.isControl, parsed.name.space == space,
            let body = parsed.entry.body
        else { throw ReplicaError.malformedPage(space: space) }
        return (try ControlSet(parsed.upload, body: body), parsed.entry)
    }

    /// Stores a control set with its verdict; no merged log has it yet.
    private func store(_ entry: LogEntry, _ upload: Upload, in space: Int64) throws -> Int64 {
        let isOwn = upload.header.device == (try identity.current().device)
        let number = try database.first(
            """
            INSERT INTO sealed (space, replica, sequence, hash, upload, body, own, verdict, receipt)
            VALUES (\(space), \(replicas.number(of: upload.header.replica)),
                \(upload.header.sequence), \(upload.hash), \(upload.bytes), \(entry.body),
                \(isOwn ? 1 : 0), 0, \(entry.receipt))
            ON CONFLICT (space, replica, sequence, hash)
            DO UPDATE SET verdict = 0, receipt = excluded.receipt RETURNING number
            """
        ) { $0.integer(0) }
        guard let number else { throw ReplicaError.damagedRecord }
        return number
    }

    /// Continues the chain of a replica after the set by which it entered.
    private func continueReplica(after entrance: Entrance, in space: Int64) throws {
        guard let set = entrance.set else { return }
        try database.run(
            "UPDATE space SET sequence = 1, previous = \(set.hash) WHERE number = \(space)"
        )
        try database.run(
            "UPDATE sealed SET own = 1 WHERE space = \(space) AND hash = \(set.hash)"
        )
    }

    /// Stores how the device recognises its server from now on.
    package func setTrust(_ trust: ServerTrust) throws {
        try database.run("UPDATE self SET trust = \(trust.description)")
    }

    /// Gives a copy of a database keys and an own space of its own.
    ///
    /// For a copy whose original has joined a server meanwhile. It has sealed nothing but the
    /// founding of that space.
    package func becomeAnotherDevice(at now: UnixTime) throws {
        let before = try identity.current()
        if let authority = before.authority {
            throw ReplicaError.alreadyJoined(authority: authority)
        }
        var random = IdentifierGenerator(next: newIdentifier)
        let keys = KeyPairs.random(using: &random)
        try takeKeys(keys)
        try database.run("UPDATE self SET user = \(keys.publicKeys.user)")
        try overlay.takeReplicaID(newIdentifier())
        let own = try spaces.own()
        let placeholder = newIdentifier()
        try exchangeSpace(own, for: placeholder)
        try controlSealer.refound(placeholder, by: keys, at: now)
        try moveRows(from: .user(before.user), to: .user(keys.publicKeys.user))
        try moveRows(from: .device(before.device), to: .device(keys.publicKeys.device))
    }

    /// Puts another own space in the place of the one that this database has, with all its rows.
    private func exchangeSpace(_ old: Identifier, for new: Identifier) throws {
        let number = try spaces.number(ofSpace: old)
        // What is sealed in the old space is its founding and what its control chain has besides.
        try database.run("DELETE FROM sealed WHERE space = \(number)")
        try database.run("DELETE FROM space_key WHERE space = \(number)")
        try database.run("DELETE FROM lost_key WHERE space = \(number)")
        try database.run("DELETE FROM lost_revocation WHERE space = \(number)")
        try database.run("DELETE FROM signed_head WHERE space = \(number)")
        try database.run("DELETE FROM unsigned_head WHERE space = \(number)")
        try lineage.forgetAll(of: number)
        try database.run(
            """
            UPDATE space SET id = \(new), controls = 0, control_head = \(Digest.zero),
                sequence = 0, previous = \(Digest.zero) WHERE number = \(number)
            """
        )
        context.chains[number] = nil
    }
}

/// Rows that are named after the user or the device.
extension DeviceEnrolment {
    /// Renames rows that carry the user's or the device's id, after that has changed.
    ///
    /// The cells keep their stamps, so that they do not win over later writes of other devices.
    private func moveRows(from old: Row, to new: Row) throws {
        guard old != new else { return }
        for schema in collections.all where schema.writers == .oneself {
            try move(schema.name, from: old, to: new)
        }
    }

    private func move(_ collection: Text, from old: Row, to new: Row) throws {
        let space = try spaces.number(ofSpace: try spaces.own())
        guard let stored = try rows.find(space, collection, old) else { return }
        let replica = try identity.loadClock().replica
        var moved = try rows.open(space, collection, new)
        for (field, cell) in stored.cells {
            // The replica that will seal the cell. With another one, the cell would differ from the
            // log's.
            let stamp = Stamp(time: cell.stamp.time, replica: replica)
            moved.overlay[field] = Cell(stamp: stamp, encoded: cell.encoded)
            try moveUnsealed(field, cell, from: stored.number, to: moved.number)
        }
        try rows.save(moved)
        try database.run("DELETE FROM unsealed WHERE row = \(stored.number)")
        // The row stays without cells, because sets that were sealed before wrote it.
        var emptied = stored
        (emptied.base, emptied.overlay) = (CellRecord(), CellRecord())
        try rows.save(emptied)
        // Actions may name rows of the earlier user or device.
        try database.run("DELETE FROM action")
    }

    /// Moves an unsealed field.
    ///
    /// A field that was sealed before becomes a reissued one.
    private func moveUnsealed(_ field: Text, _ cell: Cell, from old: Int64, to new: Int64) throws {
        let before = try database.first(
            """
            SELECT time, lead, reissued FROM unsealed WHERE row = \(old) AND field = \(field.utf8)
            """
        ) {
            let state = Unsent.State(rawValue: $0.integer(2)) ?? .reissued
            return Unsent(time: $0.unsigned(0), value: [], lead: $0.integer(1), state: state)
        }
        let unsent = Unsent(
            time: cell.stamp.time,
            value: cell.encoded,
            wall: before?.wall ?? cell.stamp.wall.milliseconds,
            state: before?.state ?? .reissued
        )
        try unsealed.put(new, field, unsent, isForced: true)
    }
}

extension ReplicaPart {
    package var enrolment: DeviceEnrolment { DeviceEnrolment(context: context) }
}
