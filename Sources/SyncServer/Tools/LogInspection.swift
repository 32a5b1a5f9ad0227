internal import SyncCore

/// The verification of one space's log, from its first entry to its last.
struct LogInspection {
    private let space: Identifier
    private let keys: ServerKeys
    private let store: any StoreSnapshot
    /// The replica heads that the store has recorded, but for damaged records.
    private let told: [Identifier: ReplicaState]
    /// The replicas whose records are damaged.
    private let damaged: Set<Identifier>
    private let receipts: MACKey
    private var sealKeys: [DeviceEpoch: MACKey] = [:]
    private var controls: ControlChain
    /// The positions of the control sets that count.
    private var controlPositions: [UInt64] = []
    /// The sets without a right MAC, by replica, until a signature covers them.
    private var unsealed: [Identifier: [(sequence: UInt64, position: UInt64)]] = [:]
    /// The sequences of the control sets that their devices signed, by replica.
    private var signed: [Identifier: [UInt64]] = [:]
    /// The newest set of each replica.
    private var last: [Identifier: Upload] = [:]
    private var position: UInt64 = 0
    private var chain = Digest.zero
    private var runs: [Identifier: ReplicaRuns] = [:]
    /// The held sets that no control set adopted yet, with their positions.
    private var held: [SetReference: (upload: Upload, position: UInt64, hasBody: Bool)] = [:]

    private(set) var findings = Findings()
    /// The chunks that the log names and the store lacks.
    private(set) var lacking: Set<ChunkPlace> = []
    /// The number of accepted sets without a body.
    private(set) var bodilessCount = 0
    /// The replicas of sets that are lost.
    private var incomplete: Set<Identifier> = []
    /// The number of sets that are lost until a device brings them.
    private(set) var lostCount = 0
    /// The position before the first entry that names a missing chunk.
    private var whole: UInt64?

    static let damagedHead = "the record of its newest set is damaged or missing"

    private struct DeviceEpoch: Hashable {
        let device: Identifier
        let epoch: UInt64
    }

    init(_ space: Identifier, _ keys: ServerKeys, _ store: any StoreSnapshot) throws {
        self.space = space
        self.keys = keys
        self.store = store
        let heads = try store.heads(of: space)
        let sound = heads.filter { $0.isSound(in: space) }
        told = Dictionary(sound.map { ($0.replica, $0.state) }) { first, _ in first }
        damaged = Set(heads.map(\.replica)).subtracting(told.keys)
        receipts = MACKey(keys.receiptSecret.bytes)
        controls = ControlChain(of: space)
    }

    mutating func inspect(_ row: LogRow) throws {
        if row.position != position + 1 {
            note(.chains, "position \(row.position) follows \(position)")
        }
        position = row.position
        if try check(row) {
            checkJudged(row)
        } else {
            note(.chains, "the entry at position \(row.position) has no verdict")
        }
        chain = row.chain
    }

    /// Compares the log's end with the recorded one, and returns it with `whole` set.
    mutating func finish(_ extent: SpaceExtent) throws -> SpaceExtent {
        if position != extent.head {
            note(.chains, "the log ends at position \(position), but its head is \(extent.head)")
        }
        if chain != extent.chain {
            note(.chains, "the chain hash at position \(position) is not that of the head")
        }
        checkHeads()
        checkSignatures()
        if let fault = try store.mirror(of: space).fault(against: controls, at: controlPositions) {
            note(.members, fault)
        }
        var extent = extent
        extent.whole = whole ?? extent.head
        return extent
    }

    private mutating func checkHeads() {
        let known = Set(runs.keys).union(told.keys).union(damaged)
        for replica in known.subtracting(incomplete).sorted() {
            if runs[replica] == nil || told[replica] == nil {
                note(.heads, "replica \(replica): \(Self.damagedHead)")
            } else if runs[replica]?.head != told[replica]?.head {
                note(.heads, "the newest set of replica \(replica) is not the stored head")
            }
        }
    }

    /// Checks a set; returns false for a row without a verdict.
    private mutating func check(_ row: LogRow) throws -> Bool {
        guard let verdict = row.verdict else { return false }
        if let bytes = row.upload {
            try checkSet(bytes, row, verdict)
        } else {
            noteLost(row)
        }
        return true
    }

    private mutating func noteLost(_ row: LogRow) {
        lostCount += 1
        incomplete.insert(row.replica)
        note(.chains, "the set at position \(row.position) was damaged and deleted")
    }

    private mutating func checkJudged(_ row: LogRow) {
        if !row.isLinked(in: space, after: chain) {
            note(.chains, "the chain hash at position \(row.position) is wrong")
        }
        if !row.hasReceipt(in: space, by: receipts) {
            note(.receipts, "the receipt at position \(row.position) is not this server's")
        }
    }

    private mutating func checkSet(_ bytes: [UInt8], _ row: LogRow, _ verdict: Verdict) throws {
        let upload: Upload
        do {
            upload = try Upload(parsing: bytes)
        } catch {
            return note(.seals, "the set at position \(row.position) cannot be read: \(error)")
        }
        if upload.name != row.name(in: space) {
            note(.seals, "the set at position \(row.position) has another name")
        }
        if let body = row.body, !upload.header.isBody(body) {
            note(.seals, "the body at position \(row.position) belongs to another set")
        }
        if upload.isControl {
            checkControl(upload, row, verdict)
        } else if !isSealed(upload) {
            unsealed[upload.header.replica, default: []]
                .append((upload.header.sequence, row.position))
        }
        checkPlace(of: upload, at: row.position)
        switch verdict {
        case .accepted:
            if row.body == nil { bodilessCount += 1 }
            try noteLacking(upload.header.chunks, at: row.position)
        case .held:
            let reference = SetReference(of: upload)
            held[reference] = (upload, row.position, row.body != nil)
            if controls.decisions[reference] == .adopted { try checkAdopted([reference]) }
        case .refused: break
        }
    }

    private mutating func isSealed(_ upload: Upload) -> Bool {
        guard let outer = upload.macs?.outer else { return false }
        let sealer = DeviceEpoch(device: upload.header.device, epoch: outer.keyEpoch)
        if sealKeys[sealer] == nil {
            sealKeys[sealer] = keys.deviceKeys(of: upload).macKey(epoch: sealer.epoch)
        }
        return sealKeys[sealer].map { outer.verifies(with: $0, for: .device) } ?? false
    }

    /// Continues the control chain with an accepted control set.
    private mutating func checkControl(_ upload: Upload, _ row: LogRow, _ verdict: Verdict) {
        let header = upload.header
        if verdict == .accepted {
            do {
                let set = try ControlSet(upload, body: row.body ?? [])
                try controls.apply(set)
                controlPositions.append(row.position)
                try checkAdopted(set.adopted)
            } catch {
                note(.seals, "the control set at position \(row.position) does not count: \(error)")
            }
        }
        guard let card = controls.cards[header.device]?.card,
            upload.isControlSet(signedBy: card.keys.signing)
        else { return }
        signed[header.replica, default: []].append(header.sequence)
    }

    /// Checks held sets that a control set adopts like accepted ones.
    private mutating func checkAdopted(_ sets: [SetReference]) throws {
        for (upload, position, hasBody) in sets.compactMap({ held.removeValue(forKey: $0) }) {
            if !hasBody { bodilessCount += 1 }
            try noteLacking(upload.header.chunks, at: position)
        }
    }

    /// Notes sets that neither a MAC nor a signature over a later set proves.
    ///
    /// Sets that came back after the loss of the master key have only the signature.
    private mutating func checkSignatures() {
        for (replica, sets) in unsealed.sorted(by: { $0.key < $1.key }) {
            let signatures = signed[replica, default: []] + signedHead(of: replica)
            for set in sets where !isCovered(set.sequence, of: replica, by: signatures) {
                note(.seals, "the set at position \(set.position) was not sealed by its device")
            }
        }
    }

    /// Whether a signature covers a set: one over the set itself, or over a later one of its run.
    private func isCovered(
        _ sequence: UInt64,
        of replica: Identifier,
        by signatures: [UInt64]
    ) -> Bool {
        guard let rest = runs[replica]?.rest(from: sequence) else { return false }
        return signatures.contains { rest.contains($0) }
    }

    /// The sequence of the newest set, if the stored signature over it is its device's.
    private func signedHead(of replica: Identifier) -> [UInt64] {
        guard let upload = last[replica], let signature = told[replica]?.signature,
            controls.isHead(upload, signedAs: signature)
        else { return [] }
        return [upload.header.sequence]
    }

    /// Checks that a set follows its predecessor, wherever the log has that.
    ///
    /// In a closed replica two sets have one name, so nothing is said of their order.
    private mutating func checkPlace(of upload: Upload, at position: UInt64) {
        let (header, replica) = (upload.header, upload.header.replica)
        let follows = runs[replica, default: ReplicaRuns()]
            .add(header.sequence, upload.hash, after: header.previous)
        if runs[replica]?.head?.hash == upload.hash { last[replica] = upload }
        guard !follows, told[replica]?.isClosed != true, !damaged.contains(replica),
            !incomplete.contains(replica)
        else { return }
        note(.heads, "the set at position \(position) does not follow its replica's previous one")
    }

    private mutating func noteLacking(_ chunks: [ChunkName], at position: UInt64) throws {
        for chunk in chunks {
            let place = ChunkPlace(space: space, hash: chunk.hash)
            guard try !store.hasChunk(place) else { continue }
            lacking.insert(place)
            if whole == nil { whole = position - 1 }
        }
    }

    private mutating func note(_ check: Findings.Check, _ text: String) {
        findings.note(check, "space \(space): \(text)")
    }
}
