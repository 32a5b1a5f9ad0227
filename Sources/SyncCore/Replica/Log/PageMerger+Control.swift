extension PageMerger {
    /// Stores a control set of the log; an accepted one continues the control chain.
    func recordControl(
        _ upload: Upload,
        _ verdict: Verdict,
        _ entry: LogEntry,
        in merge: inout LogMerge
    ) throws {
        let known = try sets.find(upload.name)
        let isLeft = try verdict != .accepted && isMerged(upload, in: merge)
        if isLeft, let index = upload.header.control?.index,
            try controls.isInLog(index, in: merge.number)
        {
            let name = "\(upload.header.replica)/\(upload.header.sequence)"
            return merge.breaches.append((.twoHistories, "control set \(name)"))
        }
        // What a revoked device has put in its place is not followed.
        if isLeft, try controls.revived(in: merge.number) != nil { return }
        let number = try insertSet(upload, verdict, entry, space: merge.number)
        guard verdict == .accepted else {
            if isLeft { try leave(upload, in: &merge) }
            try markSignature(upload, number: number, in: merge)
            guard let known, known.isOwn, known.settled != verdict, !known.isReissued else {
                return
            }
            merge.stale.append(known.set)
            return
        }
        guard let number, let body = entry.body ?? known?.set.soundBody else {
            return try miss(number)
        }
        let isOwn = known?.isOwn == true
        try continueChain(with: upload, body, number: number, isOwn: isOwn, in: &merge)
    }

    private func isMerged(_ upload: Upload, in merge: LogMerge) throws -> Bool {
        guard let index = upload.header.control?.index else { return false }
        return try controls.chain(ofSpace: merge.number).hash(ofFirst: index + 1) == upload.hash
    }

    /// Goes back to before a merged control set that the log refuses now.
    ///
    /// An earlier log had accepted it. Its device, or another one, seals its actions again.
    private func leave(_ upload: Upload, in merge: inout LogMerge) throws {
        guard let index = upload.header.control?.index else { return }
        merge.leftOut += [try backfill.follow(from: index, in: merge.number)]
    }

    /// Marks a refused control set that its device signed.
    private func markSignature(
        _ upload: Upload,
        number: Int64?,
        in merge: LogMerge
    ) throws {
        let chain = try controls.chain(ofSpace: merge.number)
        guard let card = chain.cards[upload.header.device]?.card,
            upload.isControlSet(signedBy: card.keys.signing)
        else { return }
        try database.run(
            """
            UPDATE sealed SET control = \(ControlMark.isRefused)
            WHERE number = \(number) AND control IS NULL
            """
        )
    }

    private func continueChain(
        with upload: Upload,
        _ body: [UInt8],
        number: Int64,
        isOwn: Bool,
        in merge: inout LogMerge
    ) throws {
        let chain = try controls.chain(ofSpace: merge.number)
        do {
            let set = try ControlSet(upload, body: body)
            let known = chain.hash(ofFirst: set.place.index + 1)
            guard known != set.hash else {
                // A set that was lost is there again.
                merge.noteSeen(by: upload.header, isOwn: isOwn)
                return try controls.mark(set, number: number)
            }
            if let revived = try controls.revived(by: set, in: merge.number) {
                return try keepRevived(upload, of: revived, number: number, in: &merge)
            }
            if known != nil { try follow(set, insteadOf: chain, in: &merge) }
            try controls.merge(set, number: number, into: merge.number)
            merge.adopted += set.adopted
            if try setsOwnRole(set) { merge.hasNewRole = true }
            merge.noteSeen(by: upload.header, isOwn: isOwn)
            try controls.learnSecrets(of: merge.space)
        } catch let error as ControlError {
            merge.merged.pending += 1
            if error.isBreach {
                let name = "\(upload.header.replica)/\(upload.header.sequence)"
                merge.breaches.append((.brokenControl, "control set \(name)"))
            }
            try database.run("UPDATE sealed SET pending = \("\(error)") WHERE number = \(number)")
        }
    }

    private func setsOwnRole(_ set: ControlSet) throws -> Bool {
        let me = try identity.current().user
        return set.body.actions.contains { action in
            if case .setRole(let setting) = action { setting.user == me } else { false }
        }
    }

    /// Leaves the merged control sets from the place of another one on, which the log has instead.
    private func follow(
        _ set: ControlSet,
        insteadOf chain: ControlChain,
        in merge: inout LogMerge
    ) throws {
        guard try !controls.isInLog(set.place.index, in: merge.number) else {
            merge.breaches.append((.twoHistories, "control set \(set.place.index)"))
            throw ControlError.stale
        }
        // A set whose predecessors are not merged must not drop merged ones.
        guard set.place.previous == chain.hash(ofFirst: set.place.index) else {
            throw ControlError.stale
        }
        merge.leftOut += [try backfill.follow(from: set.place.index, in: merge.number)]
    }

    /// Keeps a control set of a device that was revoked before, or of one that it let in, unmerged.
    ///
    /// Only a server that forgot the revocation accepts it: one that was put back, or that lies.
    private func keepRevived(
        _ upload: Upload,
        of device: Identifier,
        number: Int64,
        in merge: inout LogMerge
    ) throws {
        let name = "\(upload.header.replica)/\(upload.header.sequence)"
        merge.breaches.append((.revivedDevice, "\(device), control set \(name)"))
        try database.run(
            "UPDATE sealed SET pending = \(RevivedSet.mark) WHERE number = \(number)"
        )
    }

    /// Opens a change set; throws why it does not count by the control chain.
    ///
    /// The server judges for its view.
    func openAdmitted(_ upload: Upload, body: [UInt8], in merge: LogMerge) throws -> ChangeSet {
        guard !isView else { return try sets.open(upload, body: body) }
        let policy = AdmissionPolicy(try controls.chain(ofSpace: merge.number))
        switch policy.answer(to: upload.header, hash: upload.hash) {
        case .valid(let role):
            let set = try sets.open(upload, body: body)
            guard role < .editor || isRestricted(set.cells) else { return set }
            let author = policy.author(of: upload.header, as: role)
            let isAllowed = author.map {
                policy.allows(set.changes, by: $0, collections, isRepeated: true)
            }
            guard isAllowed == true else { throw ChangeSetError.notAllowed }
            return set
        case .pending: throw ChangeSetError.unknownControls(upload.header.seen.controls)
        case .held: throw ChangeSetError.beyondCut
        case .void: throw ChangeSetError.noCard
        }
    }

    /// Whether a set writes what an editor may not write, or not always.
    private func isRestricted(_ cells: CellColumns) -> Bool {
        cells.fields.contains(FieldSchema.made.name)
            || cells.rows.contains { collections[$0.collection]?.writers ?? .editors != .editors }
    }

    /// Takes control sets back that the log refused, and records which fields could not be written
    /// again.
    func takeBackStale(_ merge: LogMerge, at time: UnixTime) throws {
        for names in merge.leftOut.compactMap({ $0 }) {
            try events.record(.leftOut, names, at: time)
        }
        for stale in merge.stale { try controlSealer.takeBack(stale.number) }
    }

    /// Stores the signatures of the page, and records a breach for sets that nobody signed.
    ///
    /// A wrong signature is a breach at once, a missing one after a while.
    func checkSignatures(of merge: LogMerge, isAtHead: Bool, at time: UnixTime) throws {
        // A signature that cannot be judged yet counts as missing.
        var judged: Set<Digest> = []
        for (replica, signed) in merge.signatures.sorted(by: { $0.key < $1.key }) {
            switch try signedHeads.verifies(
                signed.signature,
                over: signed.upload,
                in: merge.number
            ) {
            case true?:
                judged.insert(signed.upload.hash)
                try signedHeads.store(signed.signature, over: signed.upload, in: merge.number)
            case false?:
                // A signature names the chain of its author, which this replica may not follow.
                if try controls.revived(in: merge.number) != nil { continue }
                let seen = signed.upload.header.seen
                let isProven =
                    try signedHeads.followsThisChain(seen, of: merge.epoch, in: merge.number)
                    || !lineage.hasEarlierLog(merge.number)
                guard isProven else { continue }
                judged.insert(signed.upload.hash)
                try breaches.record(.wrongSignature, "\(replica)", in: merge.number, at: time)
            case nil: continue
            }
        }
        guard !isView else { return }
        for (kind, detail) in merge.breaches {
            try breaches.record(kind, detail, in: merge.number, at: time)
        }
        guard merge.merged.revived == nil else { return }
        let unsigned = merge.newest.values.filter { !judged.contains($0.hash) }
        try unsignedHeads.judge(unsigned, in: merge.number, isAtHead: isAtHead, at: time)
    }
}

extension ControlError {
    /// Whether no honest server accepts such a set.
    ///
    /// A stale one shows a gap or two histories, and an unknown action a newer program.
    fileprivate var isBreach: Bool {
        switch self {
        case .forbidden, .badSignature, .malformed, .wrongBody: true
        case .stale, .unknownAction: false
        }
    }
}
