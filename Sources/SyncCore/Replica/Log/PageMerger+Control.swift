extension PageMerger {
    /// Stores a control set of the log; an accepted one continues the control chain.
    func recordControl(
        _ upload: Upload,
        _ verdict: Verdict,
        _ entry: LogEntry,
        in merge: inout LogMerge
    ) throws {
        let known = try sets.find(upload.name)
        let number = try insertSet(upload, verdict, entry, space: merge.number)
        guard verdict == .accepted else {
            guard let known, known.isOwn, known.settled != verdict else { return }
            merge.stale.append(known.set)
            return
        }
        guard let number, let body = entry.body ?? known?.set.body else {
            merge.merged.pending += 1
            return
        }
        try continueChain(with: upload, body, number: number, in: &merge)
    }

    private func continueChain(
        with upload: Upload,
        _ body: [UInt8],
        number: Int64,
        in merge: inout LogMerge
    ) throws {
        let chain = try controls.chain(ofSpace: merge.number)
        do {
            let set = try ControlSet(upload, body: body)
            let known = chain.hash(ofFirst: set.place.index + 1)
            // A set that was lost is there again.
            guard known != set.hash else { return try controls.mark(set, number: number) }
            guard known == nil else {
                merge.breaches.append((.twoHistories, "control set \(set.place.index)"))
                throw ControlError.stale
            }
            try controls.merge(set, number: number, into: merge.number)
            _ = try controls.learnSecrets(of: merge.space)
        } catch let error as ControlError {
            merge.merged.pending += 1
            if error.isBreach {
                let name = "\(upload.header.replica)/\(upload.header.sequence)"
                merge.breaches.append((.brokenControl, "control set \(name)"))
            }
            try database.run("UPDATE sealed SET pending = \("\(error)") WHERE number = \(number)")
        }
    }

    /// Throws why a change set does not count by the control chain; the server judges for its view.
    func admit(_ upload: Upload, in merge: LogMerge) throws {
        guard !isView else { return }
        let policy = AdmissionPolicy(try controls.chain(ofSpace: merge.number))
        switch policy.answer(to: upload.header, hash: upload.hash) {
        case .valid: return
        case .pending: throw ChangeSetError.unknownControls(upload.header.seen.controls)
        case .held: throw ChangeSetError.beyondCut
        case .void: throw ChangeSetError.noCard
        }
    }

    /// Seals own control sets again that the log refused, after the ones that came first.
    func redoStale(_ merge: LogMerge, at moment: Moment) throws {
        for stale in merge.stale {
            try controlSealer.redo(stale, in: merge.number, at: moment.wall)
        }
    }

    /// Stores the signatures of the page, and records a breach for sets that nobody signed.
    ///
    /// A wrong signature is a breach at once, a missing one after a while.
    func checkSignatures(of merge: LogMerge, isAtHead: Bool, at time: UnixTime) throws {
        for (replica, signed) in merge.signatures.sorted(by: { $0.key < $1.key }) {
            guard
                try signedHeads.verifies(signed.signature, over: signed.upload, in: merge.number)
            else {
                try breaches.record(.unsignedSets, "\(replica)", in: merge.number, at: time)
                continue
            }
            try signedHeads.store(signed.signature, over: signed.upload, in: merge.number)
        }
        guard !isView else { return }
        for (kind, detail) in merge.breaches {
            try breaches.record(kind, detail, in: merge.number, at: time)
        }
        try signedHeads.judge(merge.newest, in: merge.number, isAtHead: isAtHead, at: time)
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
